"""What is asked of several guests for one trial, in which order and for which moment, and what comes home."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.joint import group_run
from assay.activities.joint.group_run import LEAD_S, READING_S, run_group
from assay.activities.trials.inflight import Inflight, read_inflight
from assay.activities.trials.trial import GRACE_S, LATE_S
from assay.design import plan_trials
from assay.machines.host.reading import HostReading
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.goal import Goal
from assay.model.machines.clock import ClockReading, Instant
from assay.model.machines.machine import Limits
from assay.model.platforms.layout import Layout
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import Arm, CauseKind, CopyUsage, JobScope, State, Trial
from assay.model.work.disturbance import Cause
from assay.model.work.observation import Observation
from assay.model.work.page_cache import CacheOrder, CacheSpec, CacheState
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Success
from assay.probe import JobState
from assay.probe.result import CacheResidency
from assay.store.record import read_trial
from assay.workloads import command_workload
from tests.activities.jobs import RESULT, WEIGHT, Jobs, S, acts_of, bench_of, guest_of
from tests.builders import plan_of

TRIALS = plan_trials(("job",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
JOB = replace(command_workload("job", ["job"]), placement=PlacementSpec(copies=4), time_limit_s=100.0)
NOW_NS = 1000 * S
MOMENT_NS = NOW_NS + round(3 * LEAD_S * S)
"""Two guests get the lead twice, and it once before."""
COPY = CopyUsage(0, (1,), (), Instant(0, 0), Instant(2 * S, 0), 0, None, 2.0, 1.0, 0.5, 10)
WORKED = replace(RESULT, copies=(COPY, replace(COPY, copy=1)))
BEFORE, AFTER = ClockReading(0, 0, 0.0, 0.0), ClockReading(S, S, 0.0, 0.0)
INTO = [f"/guest-{number}/{TREATED.name}" for number in (0, 1)]


class Clock:
    """Time that stands still at 1000 s unless somebody sleeps."""

    def __init__(self) -> None:
        self.now_ns, self.slept = NOW_NS, list[float]()

    def monotonic_ns(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_ns += round(seconds * S)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(group_run, "time", made)
    return made


class Pair:
    """Two guests whose QEMU processes use 3 s and 5 s, and the bench that they work on."""

    def __init__(self, folder: Path, layout: Layout | None = None, **changes: Any) -> None:
        self.acts: list[Any] = []
        reported = {"result": WORKED, "clocks": [BEFORE, AFTER]} | changes
        self.jobs = [Jobs(f"guest-{number}", self.acts, **reported) for number in (0, 1)]
        start, begun = HypervisorCpu(0.0, 0.0), HypervisorCpu(1.0, 1.0)
        used = [HypervisorCpu(3.0, 2.0), HypervisorCpu(4.0, 3.0)]
        first, second = (guest_of(jobs, start, begun, end) for jobs, end in zip(self.jobs, used, strict=True))
        first.beside = (second,)
        self.first, self.folder = first, folder
        self.plan = plan_with(layout or Layout(2))

    def run(self, job: Any = JOB, **changes: Any) -> Trial:
        context = bench_of(self.plan, self.folder, **changes)
        return run_group(context, self.first, TREATED, job)


def plan_with(layout: Layout) -> ActivityPlan:
    made = plan_of(TRIALS, observation=Observation(interval_s=0.25))
    wanted = PlannedGuest(1, 2**30, "none", "i", (), layout)
    return replace(made, treatment=replace(made.treatment, guest=wanted))


def test_all_are_prepared_then_started_then_waited_for_then_brought_home_then_forgotten(
    tmp_path: Path, clock: Clock
) -> None:
    pair = Pair(tmp_path)
    pair.run()
    assert acts_of(pair.jobs[0], "make", "start", "wait", "fetch") == [
        (f"guest-{number}", act, what)
        for act, place in (("make", "{}.work"), ("start", "{}"), ("wait", "{}"), ("fetch", "{}"))
        for number in (0, 1)
        for what in ([place.format(INTO[number]) + f"/copy-{copy}" for copy in (0,
        1)] if act == "make" else [INTO[number]])
    ]  # fmt: skip
    assert pair.acts[-4:] == [
        (f"guest-{number}", "remove", INTO[number] + end) for number in (0, 1) for end in (".work", "")
    ]
    assert read_inflight(tmp_path) is None


def test_all_jobs_are_released_at_one_moment_of_the_controller_on_each_guest_s_clock(
    tmp_path: Path, clock: Clock
) -> None:
    pair = Pair(tmp_path)
    trial = pair.run()
    asked = acts_of(pair.jobs[0], "clock")
    assert asked == [("guest-0", "clock", MOMENT_NS), ("guest-1", "clock", MOMENT_NS)]
    starts = [jobs.specs[into].start for jobs, into in zip(pair.jobs, INTO, strict=True)]
    assert [(one.at_mono_ns, one.stagger_s) for one in starts] == [(MOMENT_NS + S, 0.0)] * 2
    assert [one.asked_s for one in trial.members] == [0.0, 0.0]
    assert clock.slept == [pytest.approx(3 * LEAD_S - READING_S)]


def test_staggered_guests_are_released_one_after_the_other(tmp_path: Path, clock: Clock) -> None:
    pair = Pair(tmp_path, Layout(2, 2.5))
    trial = pair.run()
    assert [moment for _, _, moment in acts_of(pair.jobs[0], "clock")] == [
        MOMENT_NS,
        MOMENT_NS + 5 * S // 2,
    ]
    assert [one.asked_s for one in trial.members] == [0.0, 2.5]
    limit_s = 3 * LEAD_S + 100.0 + GRACE_S + LATE_S
    assert [jobs.waits for jobs in pair.jobs] == [[(limit_s, 0.5)], [(limit_s + 2.5, 0.5)]]


def test_a_moment_that_has_passed_is_not_slept_for(tmp_path: Path, clock: Clock) -> None:
    class Slow(Jobs):
        def start(self, spec: Any, into: str) -> None:
            super().start(spec, into)
            clock.now_ns += 10 * S

    pair = Pair(tmp_path)
    for visit, name in ((pair.first, "guest-0"), (pair.first.beside[0], "guest-1")):
        slow: Any = Slow(name, pair.acts, result=WORKED, clocks=[BEFORE, AFTER])
        visit.probe = slow
    pair.run()
    assert clock.slept == [0.0]


def test_while_they_wait_the_controller_s_own_are_told_of_it(tmp_path: Path, clock: Clock) -> None:
    ticks: list[None] = []
    pair = Pair(tmp_path)
    pair.run(on_tick=lambda: ticks.append(None))
    for jobs in pair.jobs:
        jobs.ticks[0]()
    assert len(ticks) == 2


def test_a_process_that_finds_the_note_finds_no_guest_to_collect_from(tmp_path: Path, clock: Clock) -> None:
    noted: list[Inflight | None] = []

    class Noting(Jobs):
        def start_at(self, here_ns: int) -> Any:
            noted.append(read_inflight(tmp_path))
            return super().start_at(here_ns)

    pair = Pair(tmp_path)
    probe: Any = Noting("guest-0", pair.acts, result=WORKED, clocks=[BEFORE, AFTER])
    pair.first.probe = probe
    trial = pair.run(replace(JOB, cache=CacheSpec(CacheState.WARM, ("a",))))
    (note,) = noted
    assert note is not None
    assert (note.index, note.into, note.boot) == (TREATED.index, INTO[0], "boot-guest-0")
    assert note.started_ns == trial.started_ns
    assert (note.guest, note.clock, note.hypervisor_cpu, note.cache) == (None, None, None, None)


def test_each_is_asked_for_its_part_with_the_files_of_its_own_cache(tmp_path: Path, clock: Clock) -> None:
    pair = Pair(tmp_path)
    pair.run(replace(JOB, cache=CacheSpec(CacheState.WARM, ("a",))))
    for jobs, into in zip(pair.jobs, INTO, strict=True):
        spec = jobs.specs[into]
        assert spec.cache == CacheOrder(CacheState.WARM, (f"{into}.work/copy-0/a", f"{into}.work/copy-1/a"))
        assert (spec.directory, spec.placement.copies, spec.interval_s) == (f"{into}.work", 2, 0.25)


def test_the_record_has_what_both_used_from_before_the_moment_to_after_the_end(
    tmp_path: Path, clock: Clock
) -> None:
    trial = Pair(tmp_path).run()
    assert trial.state is State.ENDED, trial.cause
    assert [one.hypervisor_cpu for one in trial.members] == [HypervisorCpu(2.0, 1.0), HypervisorCpu(3.0, 2.0)]
    assert trial.hypervisor_cpu == HypervisorCpu(5.0, 3.0)
    assert [one.weight for one in trial.members] == [WEIGHT, WEIGHT]
    assert trial.weight == GuestWeight(200, 100, 10, 2, 9.0)
    assert [one.guest for one in trial.members] == ["domain-guest-0", "domain-guest-1"]
    assert [one.name for one in trial.members] == ["guest-0", "guest-1"]
    assert [one.clock and (one.clock.before, one.clock.after) for one in trial.members] == [
        (BEFORE, AFTER)
    ] * 2
    assert (trial.activity, trial.planned, trial.boot) == ("0123abcd", TREATED, "boot-guest-0")
    after_s = (WORKED.started.mono_ns - MOMENT_NS) / S
    assert [one.started_s for one in trial.members] == pytest.approx([after_s] * 2)


def test_the_record_lies_among_the_trials_with_a_folder_for_each_guest(tmp_path: Path, clock: Clock) -> None:
    pair = Pair(tmp_path)
    pair.first.beside[0].guest = None
    trial = pair.run()
    kept = tmp_path / "trials" / TREATED.name
    assert [path.name for path in (tmp_path / "trials").iterdir()] == [TREATED.name]
    assert sorted(path.name for path in kept.iterdir() if path.is_dir()) == ["guest-0", "guest-1"]
    assert (kept / "guest-1" / "stdout").is_file()
    assert read_trial(kept) == trial
    assert trial.weight is None, "not told by one"


def test_the_host_is_read_around_the_trial_and_what_disturbed_it_sends_it_to_the_rejected(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Pair(tmp_path)
    plan = replace(pair.plan, trials=TRIALS * 9, goal=Goal(rerun=(Cause.FOREIGN_CPU,)))
    arm = replace(plan.treatment, limits=Limits((0,)))
    pair.plan = replace(plan, treatment=arm, baseline=replace(plan.baseline, limits=Limits((0,))))
    reading = HostReading(100.0, 1.7e9, 50.0, 1.0, 0, below_base=False, swap_pages=0)
    readings = iter([reading, replace(reading, mono_s=120.0, busy_s=70.0)])
    monkeypatch.setattr("assay.activities.trials.disturbance.read_host", lambda _cpus: next(readings))
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {1})
    trial = pair.run()
    assert trial.host is not None
    assert trial.host.foreign_s == pytest.approx(20.0 - 8.0), "but for what both QEMU processes used"
    assert trial.disturbed_by == (Cause.FOREIGN_CPU,)
    assert (tmp_path / "rejected" / f"{TREATED.name}.1").is_dir()


def test_an_interruption_stops_all_jobs_and_leaves_no_record(tmp_path: Path, clock: Clock) -> None:
    pair = Pair(tmp_path, interrupt=True)
    with pytest.raises(KeyboardInterrupt):
        pair.run()
    assert acts_of(pair.jobs[0], "stop", "fetch") == [
        ("guest-0", "stop", INTO[0]),
        ("guest-1", "stop", INTO[1]),
    ]
    assert [jobs.states[into] for jobs, into in zip(pair.jobs, INTO, strict=True)] == [JobState.ENDED] * 2
    assert read_inflight(tmp_path) is None
    assert list((tmp_path / "trials").iterdir()) == []


def test_a_preparation_that_fails_in_one_fails_the_trial_before_any_start(
    tmp_path: Path, clock: Clock
) -> None:
    pair = Pair(tmp_path)
    pair.first.run = lambda *_argv, **_options: b""
    pair.jobs[1].result = replace(
        RESULT, state=State.FAILED, cause="'make' exited with 3", cause_kind=CauseKind.EXIT
    )
    trial = pair.run(replace(JOB, prepare=(("make",),)))
    assert trial.cause == "its preparation failed: 'make' exited with 3"
    assert (trial.boot, trial.members) == ("boot-guest-1", ())
    assert acts_of(pair.jobs[0], "clock") == []
    assert (tmp_path / "trials" / TREATED.name).is_dir()


def test_files_that_one_did_not_write_fail_the_trial_with_its_name(tmp_path: Path, clock: Clock) -> None:
    wants = replace(JOB, success=Success(files=("out",)))
    pair = Pair(tmp_path)
    for number, there in ((0, (0, 1)), (1, (0,))):
        pair.jobs[number].files = {f"{INTO[number]}.work/copy-{copy}/out": b"x" for copy in there}
    trial = pair.run(wants)
    assert trial.cause == (
        "guest-1: the job did not succeed: copy 1: expected the file 'out' with something in it, got none"
    )


def test_the_program_is_that_of_the_guests_and_of_own_kernels_the_probe(tmp_path: Path, clock: Clock) -> None:
    trial = Pair(tmp_path / "a").run()
    assert trial.program is not None
    assert trial.program.executable.name == "job"
    kernel = Pair(tmp_path / "b").run(replace(JOB, program=None))
    assert kernel.program is not None
    assert kernel.program.executable.path == "/there/probe-1"


def test_what_the_totals_are_taken_over_and_doubts_of_a_cache_are_in_the_record(
    tmp_path: Path, clock: Clock
) -> None:
    found = CacheResidency(0, 0, 0, CacheState.WARM, drop_all=False)
    pair = Pair(tmp_path, result=replace(WORKED, scope=JobScope.TREE, cache=found))
    trial = pair.run(replace(JOB, cache=CacheSpec(CacheState.WARM, ("a",))))
    assert trial.scope is JobScope.TREE
    assert [doubt.code for doubt in trial.doubts if doubt.code == "cache-no-files"] == ["cache-no-files"]
