"""One trial from its start to its record: what is asked of the machine, in which order, and what is left
there.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.activities.trials.preparation import kept_for
from assay.activities.trials.trial import GRACE_S, LATE_S, TrialContext, collect, ready, run_trial
from assay.activities.visits.host_watch import HostPost
from assay.design import plan_trials
from assay.model.activity import PlannedGuest
from assay.model.machines.clock import ClockReading
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Metric
from assay.model.platforms.container import Container, Runtime
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import Arm, CauseKind, State, Trial
from assay.model.work.observation import Observation
from assay.model.work.page_cache import CacheOrder, CacheSpec, CacheState
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading
from assay.model.work.workload import Program
from assay.probe import JobState
from assay.store.record import read_trial
from assay.workloads import command_workload
from tests.activities.jobs import RESULT, WEIGHT, Jobs, S, acts_of, bench_of, guest_of, visit_of
from tests.builders import plan_of

TRIALS = plan_trials(("job",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
JOB = replace(command_workload("job", ["job", "--fast"]), time_limit_s=100.0)
PLAN = plan_of(TRIALS, observation=Observation(interval_s=0.25))
INTO = f"/there/{TREATED.name}"
NOTE = Inflight(TREATED.index, INTO, "boot", None, 77, None, None)


def run(jobs: Jobs, visit: Any, folder: Path, **changes: Any) -> Trial:
    context = bench_of(PLAN, folder, **changes)
    trial = run_trial(context, visit, TREATED, JOB)
    kept = read_trial(folder / "trials" / TREATED.name)
    assert replace(kept, limits=trial.limits) == trial
    return trial


def test_a_trial_on_a_machine_is_laid_out_started_waited_for_and_brought_home(tmp_path: Path) -> None:
    jobs = Jobs()
    trial = run(jobs, visit_of(jobs), tmp_path)
    removed = [("there", "remove", f"{INTO}.work"), ("there", "remove", INTO)]
    assert jobs.acts == [
        *removed,
        ("there", "make", f"{INTO}.work"),
        ("there", "digest", "job"),
        ("there", "start", INTO),
        ("there", "wait", INTO),
        ("there", "fetch", INTO),
        ("there", "digest", "job"),
        *removed,
    ]
    assert (trial.state, trial.boot, trial.clock, trial.hypervisor_cpu) == (State.ENDED, "boot", None, None)
    assert trial.doubts == ()
    assert read_inflight(tmp_path) is None
    assert [path.name for path in (tmp_path / "trials").iterdir()] == [TREATED.name]


def test_a_trial_is_waited_for_to_its_limit_and_some_time_more(tmp_path: Path) -> None:
    jobs, ticks = Jobs(), list[None]()
    run(jobs, visit_of(jobs), tmp_path, on_tick=lambda: ticks.append(None))
    assert jobs.waits == [(100.0 + GRACE_S + LATE_S, 0.5)]
    jobs.ticks[0]()
    assert ticks == [None]


def test_the_start_is_noted_before_the_job_and_the_mark_of_the_guest_after_it(tmp_path: Path) -> None:
    noted: list[Inflight | None] = []

    class Noting(Jobs):
        def start(self, spec: Any, into: str) -> None:
            noted.append(read_inflight(tmp_path))
            super().start(spec, into)

    jobs = Noting(clocks=[ClockReading(0, 0, 0.0, 0.0), ClockReading(S, S, 0.0, 0.0)])
    visit = guest_of(jobs, HypervisorCpu(1.0, 2.0), HypervisorCpu(4.0, 2.5))
    before_ns = time.time_ns()
    trial = run(jobs, visit, tmp_path)
    (note,) = noted
    assert note is not None
    assert before_ns <= note.started_ns <= time.time_ns()
    assert replace(note, started_ns=0) == Inflight(
        TREATED.index, INTO, "boot-there", "domain-there", 0, ClockReading(0, 0, 0.0, 0.0),
        HypervisorCpu(1.0, 2.0),
        unwatched="no QEMU process of it is seen on the controller's machine",
    )  # fmt: skip
    assert trial.started_ns == note.started_ns
    assert acts_of(jobs, "pending", "start", "wait", "fetch", "cpu") == [
        ("domain-there", "cpu", None),
        ("domain-there", "pending", True),
        ("there", "start", INTO),
        ("there", "wait", INTO),
        ("domain-there", "cpu", None),
        ("there", "fetch", INTO),
        ("domain-there", "pending", False),
    ]
    assert trial.hypervisor_cpu == HypervisorCpu(3.0, 0.5)
    assert trial.weight == WEIGHT
    assert trial.clock is not None
    assert (trial.clock.before.here_ns, trial.clock.after.here_ns, trial.clock.rate) == (0, S, 1.0)


def test_a_guest_s_host_that_cannot_be_watched_is_doubted_with_the_reason(tmp_path: Path) -> None:
    jobs = Jobs(clocks=[ClockReading(0, 0, 0.0, 0.0), ClockReading(S, S, 0.0, 0.0)])
    trial = run(jobs, guest_of(jobs, HypervisorCpu(0.0, 0.0), HypervisorCpu(0.0, 0.0)), tmp_path)
    assert [doubt.sentence for doubt in trial.doubts if doubt.code == "host-not-watched"] == [
        "The guest's host was not watched: no QEMU process of it is seen on the controller's machine."
    ]
    assert trial.host_watch is None


def test_the_probe_is_asked_for_the_job_as_planned_with_the_files_of_its_cache(tmp_path: Path) -> None:
    jobs = Jobs()
    cold = replace(JOB, cache=CacheSpec(CacheState.COLD, ("data",)))
    context = bench_of(PLAN, tmp_path)
    run_trial(context, visit_of(jobs), TREATED, cold)
    spec = jobs.specs[INTO]
    assert (spec.command, spec.directory, spec.interval_s) == (("job", "--fast"), f"{INTO}.work", 0.25)
    assert (spec.time_limit_s, spec.grace_s, spec.limits) == (100.0, GRACE_S, Limits((1,)))
    assert spec.cache == CacheOrder(CacheState.COLD, (f"{INTO}.work/data",))
    assert [act for _, act, _ in jobs.acts].index("evict") < [act for _, act, _ in jobs.acts].index("start")


def test_a_trial_that_is_interrupted_leaves_neither_record_nor_job_nor_mark_nor_note(tmp_path: Path) -> None:
    jobs = Jobs(interrupt=True)
    with pytest.raises(KeyboardInterrupt):
        run(jobs, guest_of(jobs, HypervisorCpu(0.0, 0.0)), tmp_path)
    assert jobs.acts[-5:] == [
        ("there", "wait", INTO),
        ("there", "stop", INTO),
        ("there", "remove", f"{INTO}.work"),
        ("there", "remove", INTO),
        ("domain-there", "pending", False),
    ]
    assert read_inflight(tmp_path) is None
    assert list((tmp_path / "trials").iterdir()) == []


def test_what_a_former_try_left_is_ended_before_the_folder_is_made(tmp_path: Path) -> None:
    jobs = Jobs()
    jobs.states[INTO] = JobState.RUNNING
    note = ready(bench_of(PLAN, tmp_path), visit_of(jobs), TREATED, JOB)
    assert [act for _, act, _ in jobs.acts] == ["stop", "remove", "remove", "make", "digest"]
    assert (note.index, note.into, note.guest, note.clock, note.cache) == (
        TREATED.index,
        INTO,
        None,
        None,
        None,
    )


def collected(context: TrialContext, visit: Any, note: Inflight) -> Trial:
    return collect(context, visit, TREATED, JOB, note)


def test_what_is_collected_by_a_later_process_is_doubted_and_has_no_share_of_qemu(tmp_path: Path) -> None:
    jobs = Jobs(clocks=[ClockReading(S, S, 0.0, 0.0)])
    note = replace(NOTE, clock=ClockReading(0, 0, 0.0, 0.0), hypervisor_cpu=HypervisorCpu(1.0, 1.0))
    visit = guest_of(jobs, HypervisorCpu(9.0, 9.0))
    trial = collected(bench_of(PLAN, tmp_path), visit, note)
    assert trial.doubts[0].code == "collected-late"
    assert (trial.hypervisor_cpu, trial.host, trial.started_ns) == (None, None, 77)
    assert acts_of(jobs, "cpu") == []
    assert [doubt.sentence for doubt in trial.doubts if doubt.code == "host-not-watched"] == [
        "The guest's host was not watched: the guest was taken over from another process."
    ]


def test_what_came_home_before_a_connection_was_lost_is_kept_but_for_the_hosts_files(tmp_path: Path) -> None:
    jobs, context = Jobs(), bench_of(PLAN, tmp_path)
    before = tmp_path / "trials" / f".{TREATED.name}.new"
    for place in (before / "host", tmp_path / "trials" / f".{TREATED.name}.host"):
        place.mkdir(parents=True)
        (place / "old").touch()
    (before / "large").write_text("whole")
    write_inflight(tmp_path, NOTE)
    collected(context, visit_of(jobs), NOTE)
    assert [path.name for path in (tmp_path / "trials").iterdir()] == [TREATED.name]
    assert (tmp_path / "trials" / TREATED.name / "large").read_text() == "whole"
    assert not (tmp_path / "trials" / TREATED.name / "host").exists()
    assert read_inflight(tmp_path) is None


def test_of_an_earlier_try_that_was_cut_off_nothing_is_kept(tmp_path: Path) -> None:
    old = tmp_path / "trials" / f".{TREATED.name}.new"
    context = bench_of(PLAN, tmp_path)
    old.mkdir(parents=True)
    (old / "large").write_text("another's")
    ready(context, visit_of(Jobs()), TREATED, JOB)
    assert not old.exists()


def test_the_probe_is_the_program_of_its_own_kernels(tmp_path: Path) -> None:
    jobs = Jobs()
    kernel = replace(JOB, program=None)
    trial = collect(bench_of(PLAN, tmp_path), visit_of(jobs), TREATED, kernel, NOTE)
    assert isinstance(trial.program, Program)
    assert (trial.program.executable.name, trial.program.executable.path) == ("probe-1", "/there/probe-1")
    assert acts_of(jobs, "digest") == []


def test_files_that_the_job_was_to_write_are_brought_before_its_folder_goes(tmp_path: Path) -> None:
    rate = Reading(Metric("rate", "1/s", Direction.HIGHER), pointer="/rate", file="out.json")
    writes = replace(JOB, readings=(rate,))
    jobs = Jobs(files={f"{INTO}.work/out.json": b'{"rate": 8}'})
    trial = collect(bench_of(PLAN, tmp_path), visit_of(jobs), TREATED, writes, NOTE)
    assert {one.metric.name: one.value for one in trial.measurements}["rate"] == 8.0
    acts = [act for _, act, _ in jobs.acts]
    assert acts.index("bring") < acts.index("remove")
    bare = Jobs()
    failed = collect(bench_of(PLAN, tmp_path / "other"), visit_of(bare), TREATED, writes, NOTE)
    assert failed.cause == (
        "the job did not succeed: expected the file 'out.json' in the scratch folder, got none"
    )


class Contained:
    """A container that has had so many CPU seconds."""

    def cpu_s(self) -> float:
        return 3.5


def test_a_container_is_in_the_record_with_what_it_used(tmp_path: Path) -> None:
    seen = Container(Runtime.RUNC, "1", "host", None, (), (0,), None, None, None, ())
    jobs = Jobs()
    trial = run(jobs, visit_of(jobs, container=Contained(), contained=seen), tmp_path)
    assert trial.container == replace(seen, cpu_s=0.0)
    late = Jobs()
    visit = visit_of(late, container=Contained(), contained=seen)
    other = collected(bench_of(PLAN, tmp_path / "other"), visit, replace(NOTE, container_cpu_s=1.5))
    assert other.container == replace(seen, cpu_s=2.0)


def test_the_host_is_read_around_the_trial_by_the_processors_of_its_arm(tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    plan = replace(PLAN, baseline=replace(PLAN.baseline, limits=Limits((cpu,))))
    plan = replace(plan, treatment=replace(plan.treatment, limits=Limits((cpu,))))
    jobs = Jobs()
    trial = run_trial(bench_of(plan, tmp_path), visit_of(jobs), TREATED, JOB)
    assert trial.host is not None
    assert trial.host.cpus == (cpu,)
    assert trial.host.foreign_s is not None
    assert trial.host.controller_s is not None, "the controller has it, too"


def test_the_activity_and_the_place_of_a_trial_are_in_its_record(tmp_path: Path) -> None:
    jobs = Jobs()
    wanted = PlannedGuest(1, 1 << 30, "none", "image")
    plan = replace(PLAN, id="89abcdef", treatment=replace(PLAN.treatment, guest=wanted))
    trial = run_trial(bench_of(plan, tmp_path), visit_of(jobs), TREATED, JOB)
    assert (trial.activity, trial.planned, trial.command) == ("89abcdef", TREATED, RESULT.command)


def test_the_host_of_a_guest_is_watched_from_before_the_start_to_after_the_end(tmp_path: Path) -> None:
    jobs = Jobs(clocks=[ClockReading(0, 0, 0.0, 0.0), ClockReading(S, S, 0.0, 0.0)])
    host = Jobs("host", jobs.acts)
    used = HypervisorCpu(0.0, 0.0)
    visit = guest_of(jobs, used, used, post=HostPost(cast("Any", host), "/host", 4711))
    trial = run(jobs, visit, tmp_path)
    into = f"/host/{TREATED.name}.host"
    assert acts_of(jobs, "start", "stop", "wait", "fetch") == [
        ("host", "start", into),
        ("there", "start", INTO),
        ("there", "wait", INTO),
        ("host", "stop", into),
        ("host", "wait", into),
        ("host", "fetch", into),
        ("there", "fetch", INTO),
    ]
    spec = host.specs[into]
    assert spec.command == ("/there/probe-1", "hold", "--while", "4711")
    assert (spec.interval_s, spec.time_limit_s) == (0.25, 100.0 + GRACE_S + LATE_S)
    assert trial.host_watch is not None
    assert trial.host_watch.pid == 4711
    assert (tmp_path / "trials" / TREATED.name / "host").is_dir()
    assert [doubt.code for doubt in trial.doubts] == ["guest-not-watched"], "the probe told nothing of it"


def test_the_watch_of_a_trial_that_is_interrupted_is_dropped(tmp_path: Path) -> None:
    jobs = Jobs(interrupt=True)
    host = Jobs("host", jobs.acts)
    visit = guest_of(jobs, HypervisorCpu(0.0, 0.0), post=HostPost(cast("Any", host), "/host", 4711))
    with pytest.raises(KeyboardInterrupt):
        run(jobs, visit, tmp_path)
    assert ("host", "stop", f"/host/{TREATED.name}.host") in jobs.acts


def test_a_trial_whose_preparation_fails_is_never_started_and_keeps_the_words_of_that(tmp_path: Path) -> None:
    failed = replace(
        RESULT, state=State.FAILED, cause="'make' exited with 3", exit_code=3, cause_kind=CauseKind.EXIT
    )
    jobs = Jobs(result=failed)
    made = replace(JOB, prepare=(("make", "it"),), placement=PlacementSpec())
    old = tmp_path / "trials" / f".{TREATED.name}.new"
    context = bench_of(PLAN, tmp_path)
    old.mkdir()
    write_inflight(tmp_path, NOTE)
    before_ns = time.time_ns()
    trial = run_trial(context, visit_of(jobs), TREATED, made)
    assert (trial.state, trial.cause) == (State.FAILED, "its preparation failed: 'make' exited with 3")
    assert (trial.usage, trial.measurements, trial.exit_code) == (None, (), 3)
    assert (trial.boot, trial.clock, trial.host, trial.weight) == ("boot", None, None, None)
    assert before_ns <= trial.started_ns <= trial.ended_ns
    assert trial.doubts == ()
    assert trial.program is not None
    assert trial.program.executable.path == "/there/probe-1"
    assert [path.name for path in (tmp_path / "trials").iterdir()] == [TREATED.name]
    assert (tmp_path / "trials" / TREATED.name / "stdout").is_file()
    assert read_inflight(tmp_path) is None
    assert INTO not in jobs.specs
    assert jobs.acts[-2:] == [("there", "remove", f"{INTO}.work"), ("there", "remove", INTO)]
    kept = kept_for(visit_of(jobs), made)
    assert jobs.acts[-3] == ("there", "remove", kept.folder), "the next trial makes it anew"
