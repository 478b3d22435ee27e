"""Two controllers, one machine behind SSH: who comes second is told who measures it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts import ssh_host
from tests.live.conftest import Make
from tests.live.parts import newest, run, started

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: there
title: A machine against itself under a limit
baseline: {machine: bench}
treatment: {machine: bench, factors: {cpu.quota: 50 %}}
workloads:
- name: wait
  command: sleep 2
"""


def test_the_second_is_told_who_measures_the_machine(make_home: Make, tmp_path: Path) -> None:
    first, second = make_home("first"), make_home("second")
    scene = tmp_path / "there.yaml"
    scene.write_text(SCENE)
    with ssh_host(tmp_path) as host:
        reach = {"wrap": host.inside, "variables": {"HOME": str(host.home)}}
        for home in (first, second):
            address = f"{host.user}@{host.address}:{host.port}"
            added = run("machine", "add", "bench", "--ssh", address, home=home, **reach)  # type: ignore[arg-type]
            assert added.code == 0, added.err
        with started("evaluate", str(scene), home=first, scratch=tmp_path, **reach) as running:  # type: ignore[arg-type]
            running.wait_for(lambda: (one := newest(first)) and one.runs(0), "its first trial")
            refused = run("evaluate", str(scene), home=second, **reach)  # type: ignore[arg-type]
            activity = newest(first)
            assert activity is not None
            assert refused.code == 4, refused.err
            assert f"cannot start: bench is measured by activity {activity.id} under {first}" in refused.err
            done = running.end()
        assert done.code == 0, done.err
        assert run("evaluate", str(scene), home=second, **reach).code == 0  # type: ignore[arg-type]
