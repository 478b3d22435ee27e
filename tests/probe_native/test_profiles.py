"""Counters and profiles of real commands: software events, kernel and user stacks, a whole machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.probe_native.driver import PROBE

COPY = ("dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=1000000")

LOST_CHILDREN = """
import os, signal, sys
from burn import spin
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for child in range(4):
    if os.fork() == 0:
        if os.fork() == 0:
            spin(0.1)
        else:
            spin(0.1)
        os._exit(0)
try:
    os.wait()
except ChildProcessError:
    pass
"""


def answer(*words: str, **more: Any) -> dict[str, Any]:
    """Run the probe and return what it tells."""
    done = subprocess.run([PROBE, *words], capture_output=True, text=True, check=True, **more)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def counts(answered: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {count["name"]: count for count in answered["counts"]}


def stacks(folded: Path) -> Counter[tuple[str, ...]]:
    """Return the stacks of a folded profile with their counts."""
    lines = [line.rsplit(" ", 1) for line in folded.read_text().splitlines()]
    return Counter({tuple(stack.split(";")): int(count) for stack, count in lines})


def test_processes_that_nobody_waits_for_are_counted(spin: str) -> None:
    reported = answer(
        "count",
        "--events=task-clock,page-faults",
        "--",
        sys.executable,
        "-c",
        LOST_CHILDREN,
        env={**os.environ, "PYTHONPATH": spin},
    )
    # Eight processes of 0.1 s; the kernel's total of reaped children lacks the four that nobody waited for.
    assert reported["task_clock_ns"] > 0.8e9
    assert reported["reaped_ns"] < 0.7e9
    assert reported["task_clock_ns"] == pytest.approx(counts(reported)["task-clock"]["value"], rel=0.01)
    assert counts(reported)["page-faults"]["value"] > 0


def test_an_event_that_this_machine_lacks_has_a_reason_and_no_value() -> None:
    reported = answer("count", "--events", "cycles,task-clock", "--", "true")
    cycles = counts(reported)["cycles"]
    assert (cycles["value"] is None) == (cycles["reason"] is not None)
    if reported["no_vpmu"]:
        assert cycles["reason"] == "not supported here"


def test_an_unknown_event_is_a_wrong_argument() -> None:
    done = subprocess.run(
        [PROBE, "count", "--events", "cycels", "--", "true"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (
        2,
        "cannot count 'cycels': unknown event, nearest is 'cycles'\n",
    )


def test_a_profile_of_a_job_has_its_kernel_and_user_frames(tmp_path: Path) -> None:
    reported = answer("profile", "--hz", "997", "--into", str(tmp_path), "--", *COPY)
    seen = stacks(tmp_path / "profile.folded")
    assert reported["profile"]["samples"] == seen.total() > 50
    assert {stack[0] for stack in seen} == {"dd"}
    frames = {frame for stack in seen for frame in stack[1:]}
    assert any("write" in frame and frame.endswith("_[k]") for frame in frames)
    assert any(not frame.endswith("_[k]") and not frame.startswith("[") for frame in frames)


def test_a_profile_of_the_machine_sees_what_ran_before_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        ["dd", "if=/dev/zero", "of=/dev/null", "bs=512"], stderr=subprocess.DEVNULL
    ) as before:
        reported = answer("profile", "--system=yes", "--into", str(tmp_path), "--", "sleep", "1")
        before.kill()
    ours = [stack for stack in stacks(tmp_path / "profile.folded") if stack[0] == "dd"]
    assert reported["profile"]["lost"] == 0
    assert any(frame in {"__write", "write", "read", "__read", "[dd]"} for stack in ours for frame in stack)


def test_the_profiler_stays_small(tmp_path: Path) -> None:
    reported = answer("profile", "--system=yes", "--into", str(tmp_path), "--", "sleep", "0.2")
    assert reported["rss_bytes"] < 4 << 20


def test_a_raw_profile_folds_again_the_same(tmp_path: Path) -> None:
    answer("profile", "--hz", "997", "--into", str(tmp_path), "--", *COPY)
    again = subprocess.run([PROBE, "fold", tmp_path / "profile.raw"], capture_output=True, check=True).stdout
    assert again == (tmp_path / "profile.folded").read_bytes()
    refused = subprocess.run(
        [PROBE, "fold", tmp_path / "profile.folded"], capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stderr.startswith("cannot fold ")) == (1, True)
