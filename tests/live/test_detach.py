"""An evaluation that another process goes on with: on this machine, and as lanes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assay.activities.detached import LOG
from assay.platforms.claims import is_live
from tests.live.parts import ITSELF, LONG_S, World, assert_same_world, run

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.parametrize("on", [(), ("--on", "local")], ids=["here", "lanes"])
def test_a_detached_evaluation_is_measured_to_its_end(
    on: tuple[str, ...], home: Path, before: World, tmp_path: Path
) -> None:
    scene = tmp_path / "itself.yaml"
    scene.write_text(ITSELF)
    done = run("evaluate", str(scene), *on, "--detach", "--json", home=home)
    assert done.code == 0, done.err
    activity = done.page["activity"]
    assert is_live(home, activity)
    deadline = time.monotonic() + LONG_S
    while is_live(home, activity):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    log = (home / "activities" / activity / LOG).read_text()
    assert "Traceback" not in log, log
    shown = run("result", "show", activity, "--json", home=home)
    assert shown.code == 0, log
    assert_same_world(home, before)
