"""A disk that fills while trials run ends the activity in time, by name; what was measured is kept."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import rerun
from assay.activities.joint import group_run
from assay.activities.rerun import run_undisturbed
from assay.activities.trials.inflight import read_inflight
from assay.activities.trials.inputs import lay_out
from assay.activities.trials.preparation import UnpreparedError
from assay.activities.trials.room import LEAST_BYTES, MACHINE_BYTES, START_BYTES
from assay.activities.trials.trial import run_trial
from assay.activities.visits.visit import machine_visit
from assay.design import plan_trials
from assay.machines.errors import CommandError
from assay.machines.local import LocalDoor
from assay.machines.room import LEFT_BYTES
from assay.model.activity import PlannedGuest
from assay.model.errors import Exit, NoRoomError
from assay.model.machines.machine import Limits
from assay.model.platforms.layout import Layout
from assay.model.trial import Arm, CauseKind, State, Trial
from assay.model.units import BYTES
from assay.model.work.placement import PlacementSpec
from assay.probe import KEEP_FREE_BYTES, LostJobError
from assay.store.record import read_trial
from assay.workloads import command_workload
from tests.activities.jobs import RESULT, Jobs, acts_of, bench_of, visit_of
from tests.activities.trials.test_recovery_states import NOTE, Probe, TrialContext, recover
from tests.builders import plan_of
from tests.small_disk import small_disk

MIB, FULL = BYTES["MiB"], 1 << 40
TRIALS = plan_trials(("job",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
JOB = replace(command_workload("job", ["job"]), time_limit_s=100.0)
TWICE = replace(JOB, placement=PlacementSpec(copies=2))
PLAN = plan_of(TRIALS)
INTO = f"/there/{TREATED.name}"
ENDED = replace(
    RESULT, state=State.FAILED, cause="the disk was full", cause_kind=CauseKind.NO_ROOM, usage=None
)


def run(jobs: Jobs, folder: Path, **changes: Any) -> Trial:
    """Run one trial as an activity does."""
    context = bench_of(PLAN, folder)
    visit = visit_of(jobs, **changes)
    return run_undisturbed(context, visit, TREATED, JOB, tell=lambda _: None)


def refused(jobs: Jobs, folder: Path, **changes: Any) -> NoRoomError:
    """Run one trial that a disk is too full for: it leaves neither record nor note, and the hint says what
    resumes.
    """
    with pytest.raises(NoRoomError) as error:
        run(jobs, folder, **changes)
    assert error.value.exit_code is Exit.MISSING
    assert error.value.hint == f"free some space there, then: assay activity resume {PLAN.id}"
    assert list((folder / "trials").iterdir()) == []
    assert read_inflight(folder) is None
    return error.value


def disk(free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(FULL, 0, free))


def test_the_bounds_lie_one_below_the_other() -> None:
    assert START_BYTES > MACHINE_BYTES > KEEP_FREE_BYTES > LEAST_BYTES > LEFT_BYTES > 0


def test_no_trial_is_begun_on_a_disk_of_ours_that_is_nearly_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk(200 * MIB, monkeypatch)
    jobs = Jobs()
    error = refused(jobs, tmp_path)
    mount = subprocess.run(["stat", "-c", "%m", tmp_path], capture_output=True, text=True, check=True)
    where = f"the disk of {tmp_path} (mounted at {mount.stdout.strip()})"
    assert error.message == f"cannot go on: {where} has 200 MiB free, 256 MiB are needed"
    assert jobs.acts == []


def test_no_trial_is_begun_on_a_machine_whose_disk_is_nearly_full(tmp_path: Path) -> None:
    jobs = Jobs(rooms=[100 * MIB])
    error = refused(jobs, tmp_path)
    disk = f"the disk of {INTO}.work on local"
    assert error.message == f"cannot go on: {disk} has 100 MiB free, 128 MiB are needed"
    assert acts_of(jobs, "start") == []


def test_a_trial_is_stopped_while_its_record_can_still_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Filling(Jobs):
        def wait(self, into: str, **named: Any) -> None:
            super().wait(into, **named)
            disk(LEAST_BYTES, monkeypatch)
            named["on_tick"]()
            disk(LEAST_BYTES - 1, monkeypatch)
            named["on_tick"]()

    jobs = Filling()
    assert "are needed" in refused(jobs, tmp_path).message
    removed = [("there", "remove", f"{INTO}.work"), ("there", "remove", INTO)]
    assert jobs.acts[-3:] == [("there", "wait", INTO), *removed]


def test_a_job_that_filled_the_disk_itself_has_failed(tmp_path: Path) -> None:
    trial = run(Jobs(result=ENDED, rooms=[FULL]), tmp_path)
    assert (trial.state, trial.cause, trial.cause_kind) == (
        State.FAILED, "the disk was full", CauseKind.NO_ROOM,
    )  # fmt: skip
    assert read_trial(tmp_path / "trials" / TREATED.name).cause_kind is CauseKind.NO_ROOM


def test_a_job_that_a_disk_filled_by_others_ended_runs_again(tmp_path: Path) -> None:
    jobs = Jobs(result=ENDED, rooms=[FULL, 20 * MIB])
    assert refused(jobs, tmp_path).message.startswith("cannot go on: the disk of /there on local has 20 MiB")
    assert jobs.acts[-1] == ("there", "remove", INTO)


def test_guests_together_that_a_disk_filled_by_others_ended_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_run, "LEAD_S", 0.0)
    first, second = Jobs(result=ENDED, rooms=[FULL, 20 * MIB]), Jobs("beside")
    visit = visit_of(first, beside=(visit_of(second),))
    guest = PlannedGuest(2, 1 << 30, "none", "image", layout=Layout(guests=2))
    two = replace(PLAN, treatment=replace(PLAN.treatment, guest=guest))
    with pytest.raises(NoRoomError):
        group_run.run_group(bench_of(two, tmp_path), visit, TREATED, TWICE)
    assert list((tmp_path / "trials").iterdir()) == []


def test_a_job_that_was_lost_on_a_full_disk_is_not_taken_for_a_killed_one(tmp_path: Path) -> None:
    class Lost(Jobs):
        def wait(self, into: str, **_named: Any) -> None:
            msg = "the job is lost"
            raise LostJobError(msg, machine="local")

    error = refused(Lost(rooms=[FULL, 3 * MIB]), tmp_path)
    left = "the job there has left no record"
    assert error.message == f"cannot go on: the disk of {INTO} on local is full (3 MiB free): {left}"
    shutil.rmtree(tmp_path / "trials")
    with pytest.raises(LostJobError):
        run(Lost(rooms=[FULL]), tmp_path)


def test_a_disk_that_takes_no_more_is_named_wherever_it_is_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_given: object, **_named: object) -> Trial:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(rerun, "run_trial", full)
    message = refused(Jobs(), tmp_path).message
    assert message.startswith(f"cannot go on: the disk of {tmp_path} (mounted at /")
    assert " is full: no space left on device, " in message


def test_what_cannot_be_brought_for_want_of_room_is_told_as_such(tmp_path: Path) -> None:
    def run_there(command: tuple[str, ...], **_named: object) -> bytes:
        raise CommandError("node", command, exit_code=1, stderr="cp: 'a': No space left on device")

    jobs = Jobs(rooms=[FULL])
    prepared = replace(JOB, prepare=(("make",),))
    with pytest.raises(UnpreparedError) as error:
        lay_out(visit_of(jobs, run=run_there), prepared, INTO, on_tick=lambda: None)
    assert error.value.result.cause_kind is CauseKind.NO_ROOM


def test_a_trial_that_cannot_be_brought_home_for_want_of_room_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def collect(*_given: object) -> Trial:
        msg = "cannot copy: the disk has 1 MiB free"
        raise NoRoomError(msg)

    context, revisited = TrialContext(tmp_path), SimpleNamespace(probe=Probe("ended"))
    with pytest.raises(NoRoomError) as error:
        recover(context, revisited, monkeypatch, collecting=collect)
    assert str(error.value.hint).endswith(f"assay activity resume {PLAN.id}")
    assert read_inflight(tmp_path / "activity") == NOTE
    assert context.watcher.of("warn") == []


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 320 MiB."""
    with small_disk(tmp_path / "small", "size=320m,mode=700") as place:
        yield place


def fill(place: str) -> list[str]:
    """Return a job that writes to a file there without end."""
    return ["sh", "-c", f"while :; do head -c 1000000 /dev/zero >>{place}/f || exit; done"]


def test_a_real_disk_is_never_quite_filled_and_what_was_measured_stays(small: Path) -> None:
    context = bench_of(PLAN, small / "activity")
    first, second, third = TRIALS[:3]
    arm = replace(PLAN.baseline, limits=Limits((min(os.sched_getaffinity(0)),)))
    with machine_visit(arm, "place", home=small) as visit:
        kept = run_trial(context, visit, first, replace(JOB, command=("true",), program="true"))
        own = replace(JOB, command=tuple(fill(".")), program="sh")
        failed = run_trial(context, visit, second, own)
        assert (kept.state, failed.state, failed.cause_kind) == (State.ENDED, State.FAILED, CauseKind.NO_ROOM)
        assert failed.cause is not None
        assert " bytes free and 67108864 are kept: 'sh' was stopped" in failed.cause
        others = replace(JOB, command=tuple(fill(str(small))), program="sh")
        with pytest.raises(NoRoomError, match=f"the disk of {visit.directory} on "):
            run_trial(context, visit, third, others)
        assert shutil.disk_usage(small).free > 0
        with pytest.raises(NoRoomError, match=rf"\(mounted at {small}\) has .* free, 256 MiB are needed"):
            run_trial(context, visit, third, JOB)
    names = sorted(path.name for path in (context.folder / "trials").iterdir())
    assert names == [first.name, second.name]
    assert read_trial(context.folder / "trials" / first.name).state is State.ENDED


def test_a_copy_to_a_disk_without_room_is_refused_by_name(small: Path, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(310 * MIB)
    door = LocalDoor("local", tmp_path / "there")
    full = pytest.raises(NoRoomError, match=rf"the disk of {small}/a \(mounted at {small}\) has .* 326 MiB")
    with full:
        door.get(str(tmp_path / "large"), small / "a")
    with full:
        door.put(tmp_path / "large", f"{small}/a")
    assert list(small.iterdir()) == []
