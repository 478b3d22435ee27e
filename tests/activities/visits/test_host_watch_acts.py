"""What is asked of the probe on a guest's host, and what becomes of a watch that fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities.visits.host_watch import (
    PATIENCE_S,
    HostPost,
    Watched,
    begin_watch,
    drop_watch,
    end_watch,
)
from assay.model.errors import AssayError
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.host_watch import GROUPS
from assay.model.work.observation import Series
from assay.probe import JobState, RunResult, Spec
from assay.report.doubts import worded
from tests.activities.jobs import RESULT, Jobs

TRIAL = PlannedTrial(3, 1, 0, Arm.TREATMENT, 0, "spin")
INTO = f"/host/{TRIAL.name}.host"
REMOVED = [("there", "remove", f"{INTO}.work"), ("there", "remove", INTO)]
GUESTS = "elapsed_s,pid,cpu_s\n0.5,4711,1\n0.5,4712,2\n1.0,4711,3\n"


class Watching(Jobs):
    """A probe that watches guests; what it asks for may fail."""

    fails: str = ""
    guests: str = GUESTS
    absent: str | None = None
    error: Exception = AssayError("it was refused")

    def _check(self, act: str) -> None:
        if act == self.fails:
            raise self.error

    def start(self, spec: Spec, into: str) -> None:
        self._check("start")
        super().start(spec, into)

    def stop(self, into: str) -> None:
        self._check("stop")
        super().stop(into)

    def fetch(self, into: str, here: Path) -> RunResult:
        result = super().fetch(into, here)
        for name in ("pid", "groups"):
            (here / name).touch()
        (here / "guests.csv").write_text(self.guests)
        self._check("fetch")
        return replace(result, series=(Series("guests", "guests.csv", 2, self.absent),))


def post_of(jobs: Jobs, pid: int = 4711) -> HostPost:
    return HostPost(cast("Any", jobs), "/host", pid)


def begun(**changes: Any) -> Watching:
    jobs = Watching()
    for name, value in changes.items():
        setattr(jobs, name, value)
    jobs.states[INTO] = JobState.RUNNING
    return jobs


def ended(jobs: Watching, tmp_path: Path) -> Watched:
    return end_watch(post_of(jobs), TRIAL, tmp_path / "host", unwatched=None)


def sentences(found: Watched) -> list[tuple[str, str]]:
    return [(doubt.code, worded(doubt).sentence) for doubt in found.doubts]


def test_a_program_that_waits_for_the_guest_is_run_with_the_groups_of_a_host() -> None:
    jobs = Watching()
    assert begin_watch(post_of(jobs), TRIAL, interval_s=0.25, limit_s=60.0) is None
    assert jobs.acts == [*REMOVED, ("there", "start", INTO)]
    assert jobs.specs[INTO] == Spec(
        command=("/there/probe-1", "hold", "--while", "4711"),
        directory=f"{INTO}.work",
        interval_s=0.25,
        time_limit_s=60.0,
        process_io=False,
        watch=GROUPS,
    )


@pytest.mark.parametrize("state", [JobState.RUNNING, JobState.LOST])
def test_one_that_was_cut_off_is_ended_first(state: JobState) -> None:
    jobs = Watching()
    jobs.states[INTO] = state
    begin_watch(post_of(jobs), TRIAL, interval_s=0.25, limit_s=60.0)
    assert jobs.acts == [("there", "stop", INTO), *REMOVED, ("there", "start", INTO)]


def test_one_that_runs_on_is_waited_for_before_its_files_go() -> None:
    jobs = begun()
    jobs.stop = lambda into: jobs.acts.append(("there", "stop", into))  # type: ignore[method-assign]
    drop_watch(post_of(jobs), TRIAL)
    assert jobs.acts == [("there", "stop", INTO), ("there", "wait", INTO), *REMOVED]
    assert jobs.waits == [(PATIENCE_S, 0.5)]


def test_why_it_cannot_begin_is_returned() -> None:
    assert begin_watch(post_of(begun(fails="start")), TRIAL, interval_s=1.0, limit_s=1.0) == "it was refused"
    assert begin_watch(None, TRIAL, interval_s=1.0, limit_s=1.0) == (
        "no QEMU process of it is seen on the controller's machine"
    )


def test_at_the_end_it_is_stopped_fetched_and_taken_away(tmp_path: Path) -> None:
    jobs = begun()
    found = ended(jobs, tmp_path)
    assert jobs.acts == [
        ("there", "stop", INTO), ("there", "wait", INTO), ("there", "fetch", INTO), *REMOVED,
    ]  # fmt: skip
    assert jobs.waits == [(PATIENCE_S, 0.5)]
    watch = found.watch
    assert watch is not None
    assert (watch.interval_s, watch.pid, watch.cpus) == (RESULT.spec.interval_s, 4711, RESULT.limits.cpus)
    assert (watch.series, watch.cost) == ((Series("guests", "guests.csv", 2, None),), RESULT.cost)
    assert found.doubts == ()
    assert (tmp_path / "host" / "guests.csv").read_text() == ("elapsed_s,pid,cpu_s\n0.5,4711,1\n1.0,4711,3\n")
    assert [path.name for path in (tmp_path / "host").iterdir()] == ["guests.csv"]


def test_one_that_has_ended_by_itself_is_not_stopped(tmp_path: Path) -> None:
    jobs = begun()
    jobs.states[INTO] = JobState.ENDED
    ended(jobs, tmp_path)
    assert [act for _, act, _ in jobs.acts] == ["wait", "fetch", "remove", "remove"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"guests": "elapsed_s,pid,cpu_s\n0.5,1,1\n"}, "process 4711 was not found"),
        ({"absent": "no such group"}, "no such group"),
    ],
)
def test_a_guest_that_is_not_among_the_rows_is_doubted(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    found = ended(begun(**changes), tmp_path)
    assert found.watch is not None
    assert sentences(found) == [("guest-not-watched", f"The guest was not watched on its host: {why}.")]


@pytest.mark.parametrize("error", [AssayError("it was refused"), OSError("it was refused")])
def test_a_watch_that_fails_leaves_a_doubt_and_no_files(tmp_path: Path, error: Exception) -> None:
    jobs = begun(fails="fetch", error=error)
    found = ended(jobs, tmp_path)
    assert found.watch is None
    assert sentences(found) == [("host-not-watched", "The guest's host was not watched: it was refused.")]
    assert not (tmp_path / "host").exists()
    assert jobs.acts[-2:] == REMOVED


def test_what_was_never_begun_is_doubted_with_the_reason_and_nothing_is_asked(tmp_path: Path) -> None:
    jobs = begun()
    found = end_watch(post_of(jobs), TRIAL, tmp_path, unwatched="a reason")
    assert sentences(found) == [("host-not-watched", "The guest's host was not watched: a reason.")]
    taken = end_watch(None, TRIAL, tmp_path, unwatched=None)
    assert sentences(taken) == [
        (
            "host-not-watched",
            "The guest's host was not watched: the guest was taken over from another process.",
        )
    ]
    assert jobs.acts == []


def test_a_watch_that_cannot_be_dropped_stops_nothing(tmp_path: Path) -> None:
    jobs = begun(fails="stop")
    drop_watch(post_of(jobs), TRIAL)
    drop_watch(None, TRIAL)
    assert jobs.acts == []
