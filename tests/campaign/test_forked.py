"""Work in a forked process ends in time, tells why, and leaves nothing running."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from campaign.forked import GROUPS, forked

Tell = Callable[[str], None]


def test_a_fork_returns_its_code_and_what_it_told() -> None:
    def work(tell: Tell) -> int:
        tell("tests/test_a.py::test_f")
        return 1

    ended = forked(work, cpu_s=10, wall_s=60)
    assert (ended.code, ended.told, ended.late) == (1, "tests/test_a.py::test_f", False)


def test_an_exception_is_told() -> None:
    ended = forked(lambda _: 1 // 0, cpu_s=10, wall_s=60)
    assert ended.code == 3
    assert "ZeroDivisionError" in ended.told


def test_work_that_waits_for_ever_is_late_and_what_it_started_is_ended(tmp_path: Path) -> None:
    noted = tmp_path / "pid"

    def work(_: Tell) -> int:
        with subprocess.Popen(["sleep", "1000"], start_new_session=True) as process:
            noted.write_text(str(process.pid))
        return 0

    ended = forked(work, cpu_s=10, wall_s=0.5)
    assert ended.late
    assert not noted.exists() or not Path(f"/proc/{noted.read_text()}").exists()


def test_work_that_computes_for_ever_is_late() -> None:
    def work(_: Tell) -> int:
        while os.getpid():
            pass
        return 0

    assert forked(work, cpu_s=0, wall_s=600).late


def test_what_is_frozen_in_a_control_group_of_the_probe_is_ended_and_the_group_is_gone(
    tmp_path: Path,
) -> None:
    old = GROUPS / "freezer"
    name, word = ("freezer.state", "FROZEN") if old.is_dir() else ("cgroup.freeze", "1")
    group, noted = (old if old.is_dir() else GROUPS) / f"assay-frozen-{os.getpid()}", tmp_path / "pid"
    group.mkdir()

    def work(_: Tell) -> int:
        process = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        (group / "cgroup.procs").write_text(str(process.pid))
        (group / name).write_text(word)
        noted.write_text(str(process.pid))
        return 0

    assert forked(work, cpu_s=10, wall_s=60).code == 0
    assert not Path(f"/proc/{noted.read_text()}").exists()
    assert not group.exists()
