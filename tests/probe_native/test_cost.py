"""What the benchmark stands on: samples back to back, and its table. No figure of time is asserted."""

from __future__ import annotations

import subprocess
import uuid

import pytest

from bench.rows import ratios, row, table
from tests.probe_native.driver import probe, reported


@pytest.mark.parametrize("scope", ["group", "tree"])
def test_cost_samples_a_job_once_it_stands_and_ends_it(scope: str) -> None:
    mark = f"1000.{uuid.uuid4().int}"
    script = f"for i in 1 2 3; do sleep {mark} & done; wait"
    cost = reported("cost", "--samples", 20, "--scope", scope, "--processes", 4, "--", "sh", "-c", script)
    assert (cost["samples"], cost["processes"]) == (20, 4)
    assert cost["scope"].startswith({"group": "cgroup", "tree": "tree"}[scope])
    assert cost["cpu_ns"] > 0
    assert not running(mark)


def running(argument: str) -> bool:
    """Whether a process has this argument."""
    done = subprocess.run(["pgrep", "-f", f"sleep {argument}"], capture_output=True, check=False)
    return done.returncode == 0


def test_cost_collects_the_groups_that_are_asked_for() -> None:
    cost = reported(
        "cost", "--samples", 3, "--watch", "pressure", "--process-io", "true", "--", "sleep", "1000"
    )
    assert [one["group"] for one in cost["series"]] == ["pressure"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scope", "both", "--", "true"), "--scope: expected group or tree, got 'both'"),
        (("--watch", "presure", "--", "true"), "nearest is 'pressure'"),
        (("--samples", "5"), "'command'"),
    ],
)
def test_wrong_arguments_of_cost_are_one_clear_line(arguments: tuple[str, ...], words: str) -> None:
    done = probe("cost", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_missed_goal_and_a_ratio_stand_in_the_table() -> None:
    missed = row("slow", "ms", [3.0, 1.0, 2.0], goal=1.5)
    assert (missed.median, missed.held) == (2.0, False)
    beside = ratios(missed, [3.0, 1.0, 2.0], [6.0, 4.0, 8.0], "other")
    assert "MISSED" in table([beside])
    assert "0.25 x other" in table([beside])
