"""An evaluation that another process goes on with: on this machine, and as lanes."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from assay.activities.detached import LOG
from assay.model.activity import ActivityState
from assay.platforms.claims import is_live
from assay.store.store import Store
from tests.live.parts import ITSELF, LONG_S, World, assert_same_world, run

pytestmark = [pytest.mark.live, pytest.mark.long]


def _stands(home: Path, activity: str) -> ActivityState:
    with closing(Store(home)) as store:
        return store.find(activity).state


@pytest.mark.parametrize("on", [(), ("--on", "local")], ids=["here", "lanes"])
def test_a_detached_evaluation_is_measured_to_its_end(
    on: tuple[str, ...], home: Path, before: World, tmp_path: Path
) -> None:
    scene = tmp_path / "itself.yaml"
    scene.write_text(ITSELF)
    done = run("evaluate", str(scene), *on, "--detach", "--json", home=home)
    assert done.code == 0, done.err
    activity = done.page["activity"]
    log = home / "activities" / activity / LOG
    deadline = time.monotonic() + LONG_S
    while is_live(home, activity) or _stands(home, activity) is not ActivityState.COMPLETE:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    assert "Traceback" not in log.read_text()
    shown = run("result", "show", activity, "--json", home=home)
    assert shown.code == 0, log.read_text()
    assert_same_world(home, before)
