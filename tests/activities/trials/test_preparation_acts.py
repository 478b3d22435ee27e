"""What is asked of a machine to make a workload's input files, in which order, and what is left where that
fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.trials.job import GRACE_S
from assay.activities.trials.preparation import (
    COPY_S,
    LATE_S,
    UnpreparedError,
    bring,
    forget_failed,
    kept_for,
    prepared,
    put_inputs,
)
from assay.activities.visits.visit import Visit
from assay.machines.errors import UnreachableError
from assay.model.errors import AssayError
from assay.model.machines.machine import Limits
from assay.model.platforms.data import DataPlace
from assay.model.trial import CauseKind, State
from assay.probe import JobState, LostJobError, Spec
from assay.workloads import command_workload
from tests.activities.jobs import RESULT, Jobs, acts_of, visit_of

JOB = command_workload("job", ["job"], prepare=(("make", "{directory}"), ("sort", "it")))
JOB = replace(JOB, inputs=("/home/in", "/home/set/"), time_limit_s=100.0, output_limit_bytes=5 << 20)
SHARED = replace(JOB, keeps_inputs=True)
FAILED = replace(RESULT, state=State.FAILED, cause="'make' exited with 3", cause_kind=CauseKind.EXIT)


def tick() -> None: ...


class Runs:
    """Notes what is run on a machine beside the probe, and fails where it is told to."""

    def __init__(self, jobs: Jobs, error: AssayError | None = None) -> None:
        self.jobs, self.error = jobs, error

    def __call__(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        self.jobs.acts.append(("there", "run", (*argv, timeout_s)))
        if self.error is not None:
            raise self.error
        return b""


def place(jobs: Jobs, **changes: Any) -> Visit:
    return visit_of(jobs, **({"run": Runs(jobs), "limits": Limits((1,), 1 << 30, 0.5)} | changes))


def test_a_folder_is_called_by_what_is_made_in_it_and_of_what() -> None:
    visit = place(Jobs())
    kept = kept_for(visit, JOB)
    assert kept.folder.startswith("/there/prepared-")
    assert len(kept.folder) == len("/there/prepared-") + 16
    assert kept.jobs == (f"{kept.folder}.job-0", f"{kept.folder}.job-1")
    assert kept_for(visit, replace(JOB, name="other", command=("else",))) == kept
    others = (
        kept_for(visit, replace(JOB, prepare=JOB.prepare[:1])),
        kept_for(visit, replace(JOB, inputs=())),
        kept_for(replace(visit, machine="far"), JOB),
    )
    assert len({kept.folder, *(one.folder for one in others)}) == 4


def test_what_is_made_of_the_data_is_called_by_their_place_and_files() -> None:
    visit = place(Jobs())
    reads = replace(JOB, prepare=(("sort", "{data-files}"),))
    folders = {
        kept_for(replace(visit, data=data), reads).folder
        for data in (None, DataPlace("/a", ("/a/f",)), DataPlace("/b", ("/a/f",)), DataPlace("/a", ("/a/g",)))
    }
    assert len(folders) == 4
    assert kept_for(replace(visit, data=DataPlace("/a", ())), JOB) == kept_for(visit, JOB)


def test_inputs_are_put_into_the_folder_under_their_own_names() -> None:
    jobs = Jobs()
    put_inputs(place(jobs), JOB, "/w")
    assert [what for _, _, what in jobs.acts] == [("in", "/w/in"), ("set", "/w/set")]


def test_all_commands_run_one_after_the_other_in_one_folder() -> None:
    jobs = Jobs()
    visit = place(jobs)
    kept = prepared(visit, JOB, tick)
    one, two = kept.jobs
    assert acts_of(jobs, "make", "put", "start", "wait", "fetch", "run") == [
        ("there", "make", kept.folder),
        ("there", "put", ("in", f"{kept.folder}/in")),
        ("there", "put", ("set", f"{kept.folder}/set")),
        *[("there", act, job) for job in (one, two) for act in ("start", "wait", "fetch")],
    ]
    assert jobs.specs[one] == Spec(
        command=("make", kept.folder),
        directory=kept.folder,
        limits=Limits((1,)),
        time_limit_s=100.0,
        grace_s=GRACE_S,
        output_limit_bytes=5 << 20,
    )
    assert jobs.specs[two].command == ("sort", "it")
    assert jobs.specs[two].output_limit_bytes == JOB.output_limit_bytes
    assert jobs.waits == [(100.0 + GRACE_S + LATE_S, 0.1)] * 2
    assert jobs.ticks == [tick, tick]
    assert visit.prepared == {kept.folder}


def test_what_is_known_to_be_there_is_not_asked_for_again() -> None:
    jobs = Jobs()
    visit = place(jobs)
    kept = prepared(visit, JOB, tick)
    jobs.acts.clear()
    assert prepared(visit, JOB, tick) == kept
    assert jobs.acts == []


@pytest.mark.parametrize(
    ("state", "result", "again"),
    [
        (JobState.ENDED, RESULT, False),
        (JobState.ENDED, FAILED, True),
        (JobState.RUNNING, RESULT, True),
        (JobState.ABSENT, RESULT, True),
    ],
)
def test_what_a_former_process_made_is_used_where_its_last_job_ended_well(
    state: JobState, result: Any, again: bool
) -> None:
    jobs = Jobs(result=result)
    visit = place(jobs)
    kept = kept_for(visit, JOB)
    jobs.states = {kept.jobs[-1]: state, kept.jobs[0]: JobState.ENDED}
    if again and result is FAILED:
        with pytest.raises(UnpreparedError):
            prepared(visit, JOB, tick)
    else:
        prepared(visit, JOB, tick)
        assert visit.prepared == {kept.folder}
    assert bool(acts_of(jobs, "make")) is again
    stopped = [("there", "stop", kept.jobs[-1])] if state is JobState.RUNNING else []
    assert acts_of(jobs, "stop") == stopped
    removed = [("there", "remove", path) for path in (*kept.jobs, kept.folder)]
    assert acts_of(jobs, "remove") == (removed if again else [])


def test_where_nothing_writes_to_the_files_each_command_has_links_to_those_before_it() -> None:
    jobs = Jobs()
    visit = place(jobs)
    kept = prepared(visit, SHARED, tick)
    base = kept_for(visit, replace(SHARED, prepare=SHARED.prepare[:1]))
    assert acts_of(jobs, "make") == [("there", "make", kept.folder), ("there", "make", base.folder)]
    assert [what for _, _, what in acts_of(jobs, "start")] == [base.jobs[0], kept.jobs[1]]
    assert [what[1] for _, _, what in acts_of(jobs, "put")] == [f"{base.folder}/in", f"{base.folder}/set"]
    assert acts_of(jobs, "run") == [
        ("there", "run", ("cp", "-al", f"{base.folder}/.", kept.folder, COPY_S)),
        ("there", "run", ("sync", "-f", kept.folder, COPY_S)),
    ]
    assert visit.prepared == {kept.folder, base.folder}


def test_trials_get_a_copy_or_links_and_it_is_written_out() -> None:
    jobs = Jobs()
    visit = place(jobs)
    kept = kept_for(visit, JOB)
    bring(visit, kept, "/w", linked=False)
    assert jobs.acts == [
        ("there", "run", ("cp", "-a", f"{kept.folder}/.", "/w", COPY_S)),
        ("there", "run", ("sync", "-f", "/w", COPY_S)),
    ]


def test_a_command_that_fails_tells_its_cause_and_has_no_totals() -> None:
    jobs = Jobs(result=FAILED)
    visit = place(jobs)
    kept = kept_for(visit, JOB)
    with pytest.raises(UnpreparedError) as failed:
        prepared(visit, JOB, tick)
    error = failed.value
    assert str(error) == error.result.cause == "its preparation failed: 'make' exited with 3"
    assert (error.visit, error.job) == (visit, kept.jobs[0])
    assert (error.result.usage, error.result.copies, error.result.phases) == (None, (), ())
    assert (error.result.state, error.result.cause_kind) == (State.FAILED, CauseKind.EXIT)
    assert visit.prepared == set()
    assert kept.jobs[1] not in jobs.specs


def test_what_cannot_be_brought_is_unprepared_but_a_machine_that_is_lost_is_lost() -> None:
    jobs = Jobs()
    visit = place(jobs, run=Runs(jobs, AssayError("no room")))
    kept = kept_for(visit, JOB)
    with pytest.raises(UnpreparedError) as failed:
        bring(visit, kept, "/w", linked=True)
    assert failed.value.result.cause == (
        "what its preparation made could not be brought into its folder: no room"
    )
    assert (failed.value.job, failed.value.result.state) == (kept.jobs[-1], State.FAILED)
    lost = place(jobs, run=Runs(jobs, UnreachableError("it is gone", machine="there")))
    with pytest.raises(UnreachableError):
        bring(lost, kept, "/w", linked=True)


def test_an_interruption_ends_the_job_and_takes_all_of_it_away() -> None:
    jobs = Jobs(interrupt=True)
    visit = place(jobs)
    kept = kept_for(visit, JOB)

    def wait(into: str, **_options: Any) -> None:
        if not acts_of(jobs, "stop"):
            raise KeyboardInterrupt
        jobs.acts.append(("there", "wait", _options))

    jobs.wait = wait  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        prepared(visit, JOB, tick)
    assert acts_of(jobs, "stop") == [("there", "stop", kept.jobs[0])]
    assert [what for _, _, what in acts_of(jobs, "remove")][-3:] == [*kept.jobs, kept.folder]
    assert visit.prepared == set()


class Stubborn(Jobs):
    """A probe whose jobs run on when they are told to stop, and are then lost."""

    def stop(self, into: str) -> None:
        self.acts.append(("there", "stop", into))

    def wait(self, into: str, **options: Any) -> None:
        self.acts.append(("there", "wait", options))
        msg = "it was lost"
        raise LostJobError(msg, machine="there")


def test_a_job_that_is_lost_while_it_ends_is_removed_as_it_is() -> None:
    jobs = Stubborn()
    visit = place(jobs)
    kept = kept_for(visit, JOB)
    visit.prepared.add(kept.folder)
    jobs.states = {kept.jobs[0]: JobState.RUNNING}
    forget_failed(visit, JOB)
    assert jobs.acts == [
        ("there", "stop", kept.jobs[0]),
        ("there", "wait", {"limit_s": GRACE_S + LATE_S}),
        ("there", "remove", kept.jobs[0]),
        ("there", "remove", kept.jobs[1]),
        ("there", "remove", kept.folder),
    ]
    assert visit.prepared == set()
    assert Path(kept.folder).name.startswith("prepared-")
