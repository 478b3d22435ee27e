"""What is read of the host around a trial, what is said of it, and where the record goes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import rerun
from assay.activities.interrupts import Interrupts
from assay.activities.trials.disturbance import (
    HostBefore,
    after_trial,
    before_trial,
    causes_in,
    disturbance_doubts,
    host_of,
    is_read,
    place_of,
    was_rejected,
)
from assay.activities.trials.inflight import Inflight
from assay.activities.trials.trial import TrialContext, _client_s
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.machines.host.reading import HostReading
from assay.model.activity import PlannedGuest
from assay.model.goal import Goal
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import Arm, PlannedTrial, Trial, Usage
from assay.model.work.disturbance import Cause, HostOver
from assay.model.work.workload import Workload
from assay.platforms.process import ProcessMark, process_mark
from assay.report.doubts import worded
from assay.store.record import read_rejected, rejected_folders, write_trial
from tests.builders import WORKLOAD, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS, goal=Goal(rerun=(Cause.FOREIGN_CPU,)))
READING = HostReading(100.0, 1.7e9, 50.0, 1.0, 0, below_base=False, swap_pages=0)
AFTER = replace(READING, mono_s=104.0, busy_s=54.0)
BEFORE = HostBefore((1,), READING, shared=False)
USAGE = Usage(4.0, 3.5, 0.25, 1 << 20, None, 0)
DISTURBED = HostOver(4.0, (1,), 2.0, 0.0, None, None, 0, 0.0)


def test_the_host_is_read_where_this_machine_carries_both_arms() -> None:
    assert is_read(PLAN)
    before = before_trial(PLAN, Arm.TREATMENT, controller=(0,))
    assert (before.cpus, before.shared) == ((1,), False)
    guest = replace(PLAN, treatment=replace(PLAN.treatment, guest=PlannedGuest(1, 1 << 30, "none", "image")))
    assert is_read(guest)


def test_of_two_machines_neither_is_read() -> None:
    far = replace(PLAN.treatment, machine=Machine("far", Reach.SSH, "far"))
    plan = replace(PLAN, treatment=far)
    for arm in Arm:
        before = before_trial(plan, arm, controller=(0,))
        assert before.reading is None
        assert after_trial(before) is None
        assert host_of(before, None, usage=USAGE, cpu=None) is None


def test_unknown_processors_are_not_read() -> None:
    assert not is_read(replace(PLAN, baseline=replace(PLAN.baseline, limits=Limits())))


def test_a_job_s_own_share_is_its_usage_and_that_of_a_guest_its_whole_qemu() -> None:
    own = host_of(BEFORE, AFTER, usage=USAGE, cpu=None)
    guest = host_of(BEFORE, AFTER, usage=USAGE, cpu=HypervisorCpu(2.5, 0.5))
    assert own is not None
    assert guest is not None
    assert (own.foreign_s, guest.foreign_s) == (0.25, 1.0)


def test_whose_time_it_was_is_not_told_for_a_job_that_never_started_nor_beside_the_controller() -> None:
    never = host_of(BEFORE, AFTER, usage=None, cpu=None)
    beside = host_of(replace(BEFORE, shared=True), AFTER, usage=USAGE, cpu=None)
    assert never is not None
    assert beside is not None
    assert (never.foreign_s, beside.foreign_s) == (None, None)


def test_what_a_client_used_that_died_meanwhile_is_not_taken_for_nothing() -> None:
    alive = process_mark(os.getpid())
    assert alive is not None
    note = Inflight(0, "/d", "boot", None, 0, None, None, client_cpu_s=0.0)

    def client_s(client: ProcessMark | None, started: Inflight = note) -> float | None:
        visit = Visit("host", *[cast("Any", None)] * 6, own_clock=False, clients=(client,) if client else ())
        return _client_s(visit, started)

    assert (client_s(alive) or 0.0) > 0.0
    assert client_s(replace(alive, start_ticks=alive.start_ticks - 1)) is None
    assert client_s(None) is None
    assert client_s(alive, replace(note, client_cpu_s=None)) is None
    assert client_s(None, replace(note, client_cpu_s=None)) == 0.0
    known, lost = (host_of(BEFORE, AFTER, usage=USAGE, cpu=None, client_s=used) for used in (0.25, None))
    assert known is not None
    assert lost is not None
    assert (known.foreign_s, lost.foreign_s) == (0.0, None)


def test_a_trial_that_was_collected_late_is_not_judged() -> None:
    assert host_of(None, None, usage=USAGE, cpu=None) is None
    assert causes_in(None) == ()
    assert list(disturbance_doubts(None)) == []


def test_a_disturbed_trial_has_one_doubt_that_names_causes_and_figures() -> None:
    (doubt,) = disturbance_doubts(replace(DISTURBED, clock_step_s=1.5))
    assert doubt.code == "disturbed"
    assert "50.0% of the measured processors' time (foreign-cpu)" in worded(doubt).sentence
    assert "+1.5 s (clock-step)" in worded(doubt).sentence


def test_a_record_goes_to_the_trials_unless_a_declared_cause_was_found(tmp_path: Path) -> None:
    first = TRIALS[0]
    assert place_of(PLAN, tmp_path, first, ()) == tmp_path / "trials" / first.name
    assert place_of(PLAN, tmp_path, first, (Cause.SWAP,)) == tmp_path / "trials" / first.name
    again = place_of(PLAN, tmp_path, first, (Cause.SWAP, Cause.FOREIGN_CPU))
    assert again == tmp_path / "rejected" / f"{first.name}.1"


def test_the_count_of_the_rejected_is_in_the_folder_so_that_a_later_process_goes_on_with_it(
    tmp_path: Path,
) -> None:
    long = replace(PLAN, trials=TRIALS * 5)
    first, other = TRIALS[:2]
    (tmp_path / "rejected" / f"{first.name}.1").mkdir(parents=True)
    found = (Cause.FOREIGN_CPU,)
    assert place_of(long, tmp_path, first, found).name == f"{first.name}.2"
    assert place_of(long, tmp_path, other, found).name == f"{other.name}.1"
    (tmp_path / "rejected" / f"{first.name}.2").mkdir()
    assert place_of(long, tmp_path, first, found) == tmp_path / "trials" / first.name
    assert place_of(PLAN, tmp_path, other, found) == tmp_path / "trials" / other.name


def test_a_try_that_was_rejected_is_known_by_its_start(tmp_path: Path) -> None:
    record = record_of(TRIALS[0], 5.0)
    place = tmp_path / "rejected" / f"{TRIALS[0].name}.1"
    place.mkdir(parents=True)
    write_trial(place, record)
    assert was_rejected(tmp_path, TRIALS[0], record.started_ns)
    assert not was_rejected(tmp_path, TRIALS[0], record.started_ns + 1)
    assert not was_rejected(tmp_path, TRIALS[1], record.started_ns)
    assert list(read_rejected(tmp_path)) == [record]
    assert rejected_folders(tmp_path / "nowhere") == []


def test_a_trial_runs_until_its_record_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_trial(context: TrialContext, _stage: object, planned: PlannedTrial, _workload: Workload) -> Trial:
        trial = record_of(planned, 5.0, host=DISTURBED, disturbed_by=causes_in(DISTURBED))
        place_of(context.plan, context.folder, planned, trial.disturbed_by).mkdir(parents=True)
        return trial

    monkeypatch.setattr(rerun, "run_trial", run_trial)
    reported: list[str] = []
    context = TrialContext(replace(PLAN, trials=TRIALS * 9), tmp_path, Interrupts(), lambda: None)
    visit: Any = SimpleNamespace(beside=())
    rerun.run_undisturbed(context, visit, TRIALS[0], WORKLOAD, tell=reported.append)
    assert [place.name for place in rejected_folders(tmp_path)] == [
        f"{TRIALS[0].name}.1",
        f"{TRIALS[0].name}.2",
    ]
    assert (tmp_path / "trials" / TRIALS[0].name).is_dir()
    assert reported == [f"{TRIALS[0].name} was disturbed (foreign-cpu), is rejected and runs again"] * 2


def test_both_arms_are_read_alike() -> None:
    guest = replace(PLAN, treatment=replace(PLAN.treatment, guest=PlannedGuest(1, 1 << 30, "none", "image")))
    one, other = (before_trial(guest, arm, controller=(0,)) for arm in Arm)
    assert (one.cpus, one.shared) == (other.cpus, other.shared)
    assert one.reading is not None
    assert other.reading is not None
