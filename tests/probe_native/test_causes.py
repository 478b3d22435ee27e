"""Why a job failed: a word for programs beside the code that a shell would give."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.probe_native.driver import NO_GROUPS, reported, start, wait_for

PYTHON = str(Path(sys.executable).resolve())
SCOPES = pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])


@SCOPES
@pytest.mark.parametrize(
    ("script", "code", "signal", "kind"),
    [
        ("true", 0, None, None),
        ("exit 3", 3, None, "exit"),
        ("kill -9 $$", 137, 9, "signal"),
        ("kill -SEGV $$", 139, 11, "signal"),
        ("sh -c 'kill -9 $$'; exit $?", 137, None, "exit"),
    ],
)
def test_an_end_has_the_code_of_a_shell_and_a_kind(
    tmp_path: Path, through: tuple[str, ...], script: str, code: int, signal: int | None, kind: str | None
) -> None:
    record = start(tmp_path, "sh", "-c", script, through=through).record
    assert (record["exit_code"], record["signal"], record["cause_kind"]) == (code, signal, kind)
    assert not record["timed_out"]


def test_a_program_that_is_not_there_is_a_failed_start(tmp_path: Path) -> None:
    record = start(tmp_path, "no-such-program").record
    assert (record["exit_code"], record["cause_kind"]) == (127, "start")


@SCOPES
def test_a_time_limit_is_its_own_kind(tmp_path: Path, through: tuple[str, ...]) -> None:
    script = "trap '' TERM; sleep 60 & wait; sleep 60"
    record = start(tmp_path, "sh", "-c", script, through=through, time_limit_s=0.2, grace_s=0.2).record
    assert (record["cause_kind"], record["timed_out"], record["exit_code"]) == ("time-limit", True, 137)


def test_a_stop_is_its_own_kind(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "60")
    wait_for(lambda: run.state == "running")
    reported("stop", run.folder)
    assert (run.record["cause_kind"], run.record["exit_code"]) == ("stopped", 143)


@pytest.mark.live
def test_the_kernels_kill_for_want_of_memory_is_no_ordinary_signal(tmp_path: Path) -> None:
    script = "x = bytearray(1 << 30)"
    record = start(tmp_path, PYTHON, "-c", script, limits={"memory_bytes": 64 << 20}).record
    assert (record["cause_kind"], record["oom_killed"]) == ("oom-kill", True)
    assert (record["exit_code"], record["signal"]) == (137, 9)
