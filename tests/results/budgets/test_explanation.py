"""From records to budgets: on the host's clock, for the same work, with waits from whoever tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.pages import explained_page
from assay.design import plan_trials
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt
from assay.model.machines.clock import Instant
from assay.model.machines.machine import Limits
from assay.model.metric import Measurement
from assay.model.platforms.platform import HypervisorCpu, Platform
from assay.model.trial import Arm, CopyUsage, PlannedTrial, State, Trial, Usage
from assay.model.work.observation import Count
from assay.model.work.phase import PhaseTime
from assay.model.work.placement import PlacementSpec
from assay.pages.budget import BudgetShown
from assay.report.render.json import from_json, to_json
from assay.report.tables.budget import balance
from assay.results.budgets.explanation import budgets
from assay.results.losses.parallelism import parallelism_of
from assay.results.losses.work import rates_of
from assay.results.outcome import build_page
from assay.workloads import Parameters, Sizes, command_workload, with_parameters
from assay.workloads.command import WALL
from tests.builders import RATE, WORKLOAD, clock_check, plan_of, record_of

JOB = command_workload("spin", ("spin",))
PLAN = plan_of(plan_trials(("spin",), blocks=3, seed=1), workloads=(JOB,))
HOST = Usage(4.0, 3.5, 0.25, 1 << 20, 0, 0, run_queue_s=0.0, block_io_s=0.125)
PHASED = replace(HOST, user_s=2.0, system_s=0.4)
"""Half user and a tenth system time, as its phases of 1.0 and 2.9 s."""


def records(
    host: Usage, guest: Usage, plan: ActivityPlan = PLAN, *, baseline: Any = None, treatment: Any = None
) -> list[Trial]:
    """Return the records of all trials; the treatment's times grow a little from block to block."""
    return [
        _record(planned, host, baseline or {})
        if planned.arm is Arm.BASELINE
        else _record(planned, guest, treatment or {})
        for planned in plan.trials
    ]


def _record(planned: PlannedTrial, usage: Usage, changes: dict[str, Any]) -> Trial:
    noise = 1 + (0.001 * planned.block if planned.arm is Arm.TREATMENT else 0.0)
    longer = replace(usage, wall_s=usage.wall_s * noise, user_s=usage.user_s * noise)
    measured = (Measurement(WALL, longer.wall_s),)
    return record_of(planned, None, **{"usage": longer, "measurements": measured} | changes)


def shown(
    found: Sequence[Trial], plan: ActivityPlan = PLAN, folder: Path = Path("/nonexistent")
) -> BudgetShown:
    (only,) = budgets(plan, found, build_page(plan, found).estimates, folder)
    return only


def seconds(made: BudgetShown, category: str, phase: str = "total") -> tuple[float, float]:
    (part,) = [p for p in made.parts if (p.phase, p.category) == (phase, category)]
    return part.baseline_s, part.treatment_s


def test_the_budget_of_a_throttled_job_closes_and_names_its_quota() -> None:
    guest = replace(HOST, wall_s=8.0, throttled_s=3.9, run_queue_s=4.0)
    half = {"limits": Limits((1,), cpu_quota=0.5)}
    made = shown(records(replace(HOST, throttled_s=0.0), guest, treatment=half))
    assert sum(part.contribution for part in made.parts) == pytest.approx(made.loss, abs=1e-12)
    assert seconds(made, "queue") == pytest.approx((0.0, 4.0))
    assert seconds(made, "io") == pytest.approx((0.125, 0.125))
    assert [cause.code for cause in made.causes] == ["cpu-quota"]
    assert (made.io_from, made.queue_from, made.notes) == ("job", "job", ())
    assert made.headline == pytest.approx(made.loss, abs=1e-3)


def test_a_cause_of_more_than_the_loss_stands_with_what_was_gained() -> None:
    """Of 4 s a quota takes 2 s more and the program 1.2 s less: 4.8 s."""
    guest = replace(HOST, wall_s=4.8, user_s=2.3, throttled_s=2.0, run_queue_s=2.0)
    made = shown(records(replace(HOST, throttled_s=0.0), guest))
    (cause,), (gain,) = made.causes, made.gains
    assert (cause.code, gain.category) == ("cpu-quota", "user")
    assert cause.share == pytest.approx(2.5, abs=0.02)
    assert cause.share + gain.share == pytest.approx(1.0, abs=0.01)
    assert balance(made).startswith("loss of ")
    assert "cpu-quota costs 41.6" in balance(made)
    assert ", user CPU gives back 24.9" in balance(made)
    back = from_json(to_json(replace(build_page(PLAN, records(HOST, guest)), budgets=(made,))).encode())
    assert back.budgets[0].gains == made.gains


def test_what_was_gained_is_named_with_a_clear_headline_alone() -> None:
    guest = replace(HOST, wall_s=4.8, user_s=2.3, throttled_s=2.0, run_queue_s=2.0)
    found = records(replace(HOST, throttled_s=0.0), guest)
    rows = [replace(row, low=-0.1) for row in build_page(PLAN, found).estimates]
    (made,) = budgets(PLAN, found, rows, Path("/nonexistent"))
    assert (made.causes, made.gains) == ((), ())


def test_throttling_is_found_where_the_run_queue_does_not_tell_it() -> None:
    host, guest = (
        replace(HOST, wall_s=w, run_queue_s=None, throttled_s=t) for w, t in ((4.0, 0.0), (8.0, 4.0))
    )
    made = shown(records(host, guest))
    assert seconds(made, "queue")[1] == pytest.approx(4.0)
    assert [cause.code for cause in made.causes] == ["cpu-quota"]


def test_times_are_on_the_hosts_clock() -> None:
    slow = {"clock": clock_check(1.005)}
    guest = replace(HOST, wall_s=4.02, user_s=3.5175, system_s=0.25125, block_io_s=0.125625)
    made = shown(records(HOST, guest, treatment=slow))
    assert seconds(made, "system") == pytest.approx((0.25, 0.25))
    assert made.loss == pytest.approx(0.001, abs=1e-3)


def test_a_trial_whose_clock_is_not_trusted_is_in_no_budget() -> None:
    found = records(HOST, HOST, treatment={"clock": clock_check(1.5)})
    assert budgets(PLAN, found, (), Path("/nonexistent")) == ()


def test_a_wall_time_is_not_divided_by_cpu_time_that_a_container_was_told_wrong() -> None:
    reported = Doubt("container-cpu-count", "Inside runsc the job was told too much.")
    found = records(HOST, replace(HOST, wall_s=4.4, user_s=16.0))
    assert shown(found).blocks == 3
    found[-1] = replace(found[-1], doubts=(reported,))
    assert budgets(PLAN, found, (), Path("/nonexistent")) == ()


def test_the_time_of_a_container_outside_its_job_is_not_divided() -> None:
    plan = replace(PLAN, workloads=tuple(replace(one, program="podman") for one in PLAN.workloads))
    assert budgets(plan, records(HOST, replace(HOST, wall_s=5.0)), (), Path("/nonexistent")) == ()


def test_a_failed_trial_is_in_no_budget() -> None:
    found = [
        replace(r, state=State.FAILED) if r.planned.arm is Arm.TREATMENT and r.planned.block == 1 else r
        for r in records(HOST, replace(HOST, wall_s=5.0))
    ]
    assert shown(found).blocks == 2


def test_a_benchmark_of_fixed_duration_is_divided_for_the_same_work() -> None:
    plan = plan_of(PLAN.trials, workloads=(WORKLOAD,))
    rate = {Arm.BASELINE: 100.0, Arm.TREATMENT: 50.0}
    found = [record_of(p, rate[p.arm], usage=replace(HOST, wall_s=4.0 + p.block / 1e3)) for p in plan.trials]
    made = shown(found, plan)
    assert made.metrics == (RATE.name,)
    assert made.loss == pytest.approx(0.5, abs=1e-3)
    assert made.treatment_s == pytest.approx(2 * made.baseline_s)
    assert made.headline == pytest.approx(0.5)
    assert [cause.code for cause in made.causes] == ["slower-cpu"]


def test_a_rate_of_the_event_loop_does_not_hide_a_longer_start() -> None:
    fixed = replace(WORKLOAD, parser="two-phase")
    plan = plan_of(PLAN.trials, workloads=(fixed,))
    host, guest = HOST, replace(HOST, wall_s=8.0)
    found = [record_of(p, 100.0, usage=host if p.arm is Arm.BASELINE else guest) for p in plan.trials]
    assert shown(found, plan).loss == pytest.approx(0.5)


def test_phases_are_divided_and_what_they_leave_is_the_rest() -> None:
    guest = replace(PHASED, wall_s=6.0, user_s=3.0, system_s=0.6)
    made = shown(
        records(
            PHASED, guest, baseline={"phases": _phases(1.0, 2.9)}, treatment={"phases": _phases(3.0, 2.9)}
        )
    )
    assert list(dict.fromkeys(part.phase for part in made.parts)) == ["init", "event-loop", "rest"]
    assert seconds(made, "user", "init") == pytest.approx((0.5, 1.5))
    assert seconds(made, "io", "rest") == pytest.approx((0.025, 0.025))
    assert sum(part.baseline_s for part in made.parts) == pytest.approx(4.0)
    assert sum(part.contribution for part in made.parts) == pytest.approx(made.loss, abs=1e-12)


def _phases(*lengths: float, copy: int = 0) -> tuple[PhaseTime, ...]:
    """Return phases that are half user and a tenth system time, without waits but 0.05 s for storage."""
    stays, at = [], 1_000_000_000
    for name, wall_s in zip(("init", "event-loop"), lengths, strict=True):
        ends = at + round(wall_s * 1e9)
        stays.append(
            PhaseTime(copy, name, Instant(at, 0), Instant(ends, 0), wall_s, wall_s / 2, wall_s / 10, None,
                      run_queue_s=0.0, block_io_s=0.05)
        )  # fmt: skip
        at = ends
    return tuple(stays)


def test_a_wait_that_ends_in_the_next_phase_is_given_back_to_its_own() -> None:
    init, loop = _phases(1.0, 2.9)
    late = (init, replace(loop, run_queue_s=1.25))
    made = shown(
        records(
            PHASED, replace(PHASED, run_queue_s=1.25), treatment={"phases": late}, baseline={"phases": late}
        )
    )
    room = 2.9 * 0.4
    assert seconds(made, "idle", "event-loop")[1] == pytest.approx(0.0, abs=1e-9)
    waits = [
        sum(seconds(made, name, phase)[1] for name in ("io", "queue")) for phase in ("init", "event-loop")
    ]
    assert waits == pytest.approx([0.05 + 0.05 + 1.25 - room, room])


def test_phases_of_copies_side_by_side_are_taken_as_a_whole() -> None:
    both = (*_phases(1.0, 2.9), *(replace(p, user_s=None, system_s=None) for p in _phases(1.0, 2.9, copy=1)))
    made = shown(records(HOST, HOST, baseline={"phases": both}, treatment={"phases": both}))
    assert {part.phase for part in made.parts} == {"total"}
    assert "Copies ran side by side" in made.notes[0]


def _jobs(*lengths: float, jobs: int = 12) -> dict[str, Any]:
    """Return phases of so many jobs at once, each 0.1 s longer than they are."""
    told = [
        replace(p, user_s=None, system_s=None) for job in range(jobs) for p in _phases(*lengths, copy=job)
    ]
    wall_s = sum(lengths) + 0.1
    ran = [CopyUsage(job, (), (), None, None, 0, None, wall_s, None, None, 0) for job in range(jobs)]
    return {"phases": tuple(told), "copies": tuple(ran)}


def test_the_own_time_of_jobs_side_by_side_is_divided_by_phases_and_its_start_is_named() -> None:
    """BOSS, 12 guests that start at once: of 402.1 s more of each job 399 are its initialization."""
    guest = replace(HOST, wall_s=406.1, user_s=6.6)
    made = shown(records(HOST, guest, baseline=_jobs(1.0, 2.9), treatment=_jobs(400.0, 6.0)))
    assert [(one.phase, one.baseline_s, one.treatment_s) for one in made.by_phase] == [
        ("init", pytest.approx(1.0), pytest.approx(400.0)),
        ("event-loop", pytest.approx(2.9), pytest.approx(6.0)),
        ("rest", pytest.approx(0.1), pytest.approx(0.1)),
    ]
    assert [one.contribution for one in made.by_phase] == pytest.approx(
        [399 / 406.1, 3.1 / 406.1, 0.0], abs=1e-9
    )
    cause = next(one for one in made.causes if one.code == "cold-start")
    assert cause.overlaps
    assert cause.sentence == (
        "Initialization takes 400 s instead of 1 s and holds 99% of what a job takes longer: with more "
        "events a job loses less."
    )


def test_jobs_that_did_not_all_tell_of_phases_are_not_divided_by_them() -> None:
    less = _jobs(1.0, 2.9)
    for changes in (
        {"phases": less["phases"][2:]},
        {"copies": (replace(less["copies"][0], wall_s=None), *less["copies"][1:])},
        {"copies": ()},
    ):
        made = shown(records(HOST, HOST, baseline=less, treatment=less | changes))
        assert made.by_phase == ()


def test_what_the_job_does_not_tell_comes_from_the_series_beside_it(tmp_path: Path) -> None:
    bare = replace(HOST, run_queue_s=None, block_io_s=None)
    found = records(bare, replace(bare, wall_s=8.0))
    for record in found:
        wall = record.usage.wall_s if record.usage else 0.0
        _write(
            tmp_path,
            record,
            "delay.csv",
            "source,run_queue_s,block_io_s",
            ("taskstats", 0.0, 0.0),
            ("taskstats", 0.05 * wall, 0.1 * wall),
        )
    made = shown(found, folder=tmp_path)
    assert seconds(made, "io") == pytest.approx((0.4, 0.8), rel=2e-3)
    assert seconds(made, "queue") == pytest.approx((0.2, 0.4), rel=2e-3)
    assert made.io_from == "job"


def test_the_machines_waits_go_no_further_than_cpu_time_leaves(tmp_path: Path) -> None:
    bare = replace(HOST, run_queue_s=None, block_io_s=None)
    found = records(bare, replace(bare, wall_s=8.0))
    for record in found:
        _write(tmp_path, record, "samples.csv", "machine_iowait_s,machine_steal_s", (5.0, 1.0), (105.0, 1.1))
    made = shown(found, folder=tmp_path)
    assert seconds(made, "queue") == pytest.approx((0.1, 0.1))
    assert seconds(made, "io")[0] == pytest.approx(4.0 - 3.5 - 0.25 - 0.1)
    assert seconds(made, "idle") == pytest.approx((0.0, 0.0), abs=1e-9)
    assert made.io_from == made.queue_from == "machine"
    assert any("whole machine's" in note for note in made.notes)


def _write(
    folder: Path, record: Trial, name: str, columns: str, first: tuple[object, ...], last: tuple[object, ...]
) -> None:
    """Write a series of two samples, at the release (0 in records without copies) and at the end."""
    place = folder / "trials" / record.planned.name
    place.mkdir(parents=True, exist_ok=True)
    wall = record.usage.wall_s if record.usage else 0.0
    lines = [f"mono_ns,real_ns,{columns}"]
    lines += [",".join(map(str, (at, 0, *values))) for at, values in ((0, first), (round(wall * 1e9), last))]
    (place / name).write_text("\n".join(lines) + "\n")


def test_what_nobody_tells_stays_idle_and_the_budget_says_so() -> None:
    bare = replace(HOST, run_queue_s=None, block_io_s=None)
    made = shown(records(bare, replace(bare, wall_s=8.0)))
    assert seconds(made, "idle")[1] == pytest.approx(4.25, rel=2e-3)
    assert (made.io_from, made.queue_from) == ("none", "none")
    assert len(made.notes) == 2


def test_the_jobs_own_processors_come_before_the_whole_machine() -> None:
    bare = replace(HOST, run_queue_s=None, block_io_s=None, io_wait_s=0.1, steal_s=0.05, idle_s=0.1)
    made = shown(records(bare, bare))
    assert (made.io_from, made.queue_from) == ("processors", "processors")
    assert seconds(made, "queue") == pytest.approx((0.05, 0.05))


def test_more_than_the_wall_time_is_kept_below_zero_and_doubted() -> None:
    made = shown(records(HOST, replace(HOST, run_queue_s=1.0)))
    assert seconds(made, "idle")[1] == pytest.approx(-0.875, rel=1e-2)
    assert "more than wall time × parallelism in 3 of 9 trials" in made.notes[0]


def crowd(host: Usage, guest: Usage, copies: int = 4, **changes: Any) -> BudgetShown:
    """Return the budget of copies that share a processor."""
    many = replace(JOB, placement=PlacementSpec(copies=copies, threads=1))
    return shown(records(host, guest, **changes), plan_of(PLAN.trials, workloads=(many,)))


def test_waits_of_more_threads_than_lanes_go_no_further_than_what_is_left() -> None:
    made = crowd(HOST, replace(HOST, run_queue_s=12.0))
    assert seconds(made, "idle")[1] == pytest.approx(0.0, abs=1e-9)
    assert seconds(made, "io")[1] == pytest.approx(0.125)  # first where nothing tells of idle processors


def test_copies_that_wait_for_each_other_do_not_eat_the_idle_time_of_a_pause() -> None:
    host = Usage(0.56, 0.5, 0.04, 1 << 20, 0, 0, run_queue_s=0.54, block_io_s=0.0, io_wait_s=0.0, idle_s=0.0)
    paused = replace(host, wall_s=0.70, run_queue_s=0.57, idle_s=0.14)
    made = crowd(host, paused, copies=2)
    assert seconds(made, "idle") == pytest.approx((0.0, 0.14), abs=2e-3)
    assert seconds(made, "queue") == pytest.approx((0.02, 0.02), abs=2e-3)
    assert [cause.code for cause in made.causes] == ["waiting"]
    some = crowd(host, replace(paused, idle_s=0.095), copies=2)  # and 0.065 s of others, as once recorded
    assert seconds(some, "idle")[1] == pytest.approx(0.095, abs=2e-3)
    assert seconds(some, "queue")[1] == pytest.approx(0.065, abs=2e-3)
    assert some.causes[0].code == "waiting"


def test_copies_that_wait_for_each_other_do_not_eat_the_wait_for_a_disk() -> None:
    host = Usage(
        0.72, 0.6, 0.1, 1 << 20, 9 << 20, 0, run_queue_s=0.7, block_io_s=0.0, io_wait_s=0.0, idle_s=0.02
    )
    slow = replace(host, wall_s=1.0, run_queue_s=0.5, block_io_s=0.6, io_wait_s=0.2, idle_s=0.1)
    made = crowd(host, slow, copies=2)
    assert seconds(made, "io")[1] == pytest.approx(0.3, abs=5e-3)
    assert seconds(made, "queue")[1] == pytest.approx(0.0, abs=5e-3)
    assert [cause.code for cause in made.causes] == ["disk-throughput"]
    reported = crowd(replace(host, block_io_s=None), replace(slow, block_io_s=None), copies=2)
    assert seconds(reported, "io")[1] == pytest.approx(0.2)  # from the job's processors


def test_others_between_copies_that_share_a_processor_are_found() -> None:
    host = Usage(4.0, 3.6, 0.4, 1 << 20, 0, 0, run_queue_s=4.0, block_io_s=0.1, io_wait_s=0.0, idle_s=0.0)
    made = crowd(host, replace(host, wall_s=8.0, run_queue_s=12.0), copies=2)
    assert seconds(made, "queue")[1] == pytest.approx(4.0, rel=0.02)
    (cause,) = made.causes
    assert "Others have the processors" in cause.sentence


def test_a_quota_of_copies_that_share_a_processor_is_in_its_idle_time() -> None:
    host = Usage(4.0, 3.6, 0.4, 1 << 20, 0, 0, throttled_s=0.0, run_queue_s=4.0, block_io_s=0.0, idle_s=0.0)
    half = replace(host, wall_s=8.0, throttled_s=3.9, run_queue_s=12.0, idle_s=3.9)
    made = crowd(host, half, copies=2, treatment={"limits": Limits((1,), cpu_quota=0.5)})
    assert seconds(made, "queue")[1] == pytest.approx(4.0, rel=0.01)
    assert [cause.code for cause in made.causes] == ["cpu-quota"]


@pytest.mark.parametrize(
    ("copies", "cpus", "load"),
    [
        (1, (0, 1), "solo"),
        (2, (0, 1), "full-node(2 jobs)"),
        (2, (0, 1, 2), "2 jobs"),
        (2, (), "full-node(2 jobs)"),
    ],
)
def test_a_load_is_a_full_node_only_where_copies_fill_it(
    copies: int, cpus: tuple[int, ...], load: str
) -> None:
    plan = plan_of(PLAN.trials, workloads=(replace(JOB, placement=PlacementSpec(copies=copies, threads=1)),))
    limits = {"limits": Limits(cpus)}
    (row, *_) = build_page(plan, records(HOST, HOST, plan, baseline=limits, treatment=limits)).estimates
    assert row.aim is not None
    assert row.aim.load == load


@pytest.mark.parametrize(
    ("copies", "threads", "busy", "cpus", "parallelism"),
    [(1, None, 0.9, 4, 1), (1, None, 1.04, 4, 1), (1, None, 3.7, 4, 4), (3, None, 0.5, 4, 3),
    (4, 2, 1.0, 4, 4), (1, 2, 3.7, 4, 2)],
)  # fmt: skip
def test_lanes_are_copies_and_threads_within_the_processors(
    copies: int, threads: int | None, busy: float, cpus: int, parallelism: int
) -> None:
    workload = replace(JOB, placement=PlacementSpec(copies=copies, threads=threads))
    usage = replace(HOST, wall_s=10.0, user_s=10 * busy, system_s=0.0)
    trial = record_of(PLAN.trials[0], 1.0, usage=usage, limits=Limits(tuple(range(cpus))))
    assert parallelism_of(workload, [trial]) == parallelism


def test_counters_of_both_arms_divide_cpu_time() -> None:
    guest = replace(HOST, wall_s=8.0, user_s=7.5)
    made = shown(
        records(
            HOST,
            guest,
            baseline={"counts": _counts(1e10, 1e10, 3.75)},
            treatment={"counts": _counts(1e10, 2e10, 7.5)},
        )
    )
    assert [factor.factor for factor in made.cpu] == ["instructions", "cpi", "frequency"]
    assert made.cpu[1].contribution == pytest.approx(3.75 / 8.0, rel=1e-2)
    assert "2 times the cycles for each" in made.causes[0].sentence


def _counts(instructions: float, cycles: float, cpu_s: float) -> tuple[Count, ...]:
    values = {"instructions": instructions, "cycles": cycles, "task-clock": cpu_s * 1e9}
    return tuple(Count(name, round(value)) for name, value in values.items())


def test_without_counters_on_both_arms_cpu_time_is_not_divided() -> None:
    assert shown(records(HOST, HOST, baseline={"counts": _counts(1.0, 1.0, 1.0)})).cpu == ()


def test_what_the_host_saw_of_a_guest_stands_beside_its_budget() -> None:
    made = shown(
        records(
            HOST, replace(HOST, wall_s=9.0), treatment={"hypervisor_cpu": HypervisorCpu(8.5, 0.5, 120000)}
        )
    )
    beside = {figure.name: (figure.baseline, figure.treatment) for figure in made.counted}
    assert beside["CPU of QEMU's vCPU threads"] == (None, 8.5)
    assert beside["CPU of QEMU's other threads"] == (None, 0.5)
    assert beside["exits from the guest"] == (None, 120000)


def test_migrations_of_vcpu_threads_stand_beside_those_of_the_job() -> None:
    cpu = HypervisorCpu(8.5, 0.5, vcpu_migrations=(3, 0, 4))
    counts = {"counts": (Count("cpu-migrations", 5),)}
    made = shown(records(HOST, HOST, baseline=counts, treatment=counts | {"hypervisor_cpu": cpu}))
    beside = {figure.name: (figure.baseline, figure.treatment) for figure in made.counted}
    assert beside["cpu-migrations"] == (5, 5)
    assert beside["migrations of QEMU's vCPU threads"] == (None, 7)
    assert not any("vCPU threads" in note for note in made.notes)


def test_migrations_of_vcpu_threads_that_nothing_told_are_said_to_be_missing_where_they_were_asked_for() -> (
    None
):
    cpu = HypervisorCpu(8.5, 0.5)
    counts = {"counts": (Count("cpu-migrations", 5),)}
    (note,) = shown(records(HOST, HOST, treatment=counts | {"hypervisor_cpu": cpu})).notes
    assert note.startswith("Migrations of QEMU's vCPU threads are not told: the host's kernel has no")
    assert shown(records(HOST, HOST, treatment={"hypervisor_cpu": cpu})).notes == ()


def test_shares_of_the_time_and_the_page_cache_stand_beside_it(tmp_path: Path) -> None:
    guest = replace(HOST, wall_s=8.0, user_s=1.0, system_s=3.0, rss_bytes=3 << 20)
    found = [replace(record, usage=record.usage) for record in records(HOST, guest)]
    for record in found:
        place = tmp_path / "trials" / record.planned.name
        place.mkdir(parents=True)
        (place / "memory.csv").write_text("mono_ns,cache_bytes\n1,500\n2,\n3,700\n")
    reported = {figure.name: figure for figure in shown(found, folder=tmp_path).counted}
    share, kernel = reported["CPU share of the time"], reported["kernel's share of the CPU time"]
    assert (share.baseline, share.treatment) == pytest.approx((93.75, 50.0), abs=0.1)
    assert (kernel.baseline, kernel.treatment) == pytest.approx((6.667, 75.0), abs=0.1)
    assert (share.unit, kernel.unit) == ("%", "%")
    assert reported["largest resident set"].treatment == 3 << 20
    assert reported["most page cache"].baseline == 700
    assert "most page cache" not in {figure.name for figure in shown(found).counted}


def test_page_cache_and_buffers_of_the_machine_stand_beside_it_where_it_was_watched(tmp_path: Path) -> None:
    found = records(HOST, HOST)
    for record in found:
        place = tmp_path / "trials" / record.planned.name
        place.mkdir(parents=True)
        (place / "meminfo.csv").write_text("mono_ns,buffers_bytes,cached_bytes\n1,40,500\n2,,\n3,45,400\n")
    reported = {figure.name: figure for figure in shown(found, folder=tmp_path).counted}
    assert reported["most page cache of the machine"].treatment == 500
    assert reported["most buffers of the machine"].baseline == 45
    assert not {name for name in reported if name.startswith("most page cache") and "machine" not in name}
    assert not any("machine" in figure.name for figure in shown(found).counted)


def test_the_same_records_in_any_order_give_the_same_budget() -> None:
    found = records(HOST, replace(HOST, wall_s=8.0))
    assert shown(found) == shown(found[::-1])


RECORDED = Path(__file__).parents[1] / "recorded"
"""Activities of real machines; digests of programs are left out."""


def test_a_recorded_quota_of_half_is_found_and_named() -> None:
    made = explained_page(RECORDED / "cpu-quota").budgets[0]
    assert made.low is not None
    assert made.high is not None
    assert made.low < 0.5 < made.high
    assert sum(part.contribution for part in made.parts) == pytest.approx(made.loss, abs=1e-12)
    assert [cause.code for cause in made.causes] == ["cpu-quota"]
    assert made.causes[0].share > 0.9


def test_several_runs_of_an_arm_in_a_block_count_by_their_mean() -> None:
    found = records(HOST, replace(HOST, wall_s=8.0))
    again = [r for r in found if r.planned.arm is Arm.TREATMENT]
    more = [
        replace(r, planned=replace(r.planned, index=r.planned.index + 100), usage=replace(HOST, wall_s=6.0))
        for r in again
    ]
    (made,) = budgets(PLAN, [*found, *more], (), Path("/nonexistent"))
    assert made.treatment_s == pytest.approx(7.0, abs=0.01)
    assert sum(part.contribution for part in made.parts) == pytest.approx(made.loss, abs=1e-12)


def test_a_guest_under_emulation_is_told_as_such() -> None:
    platform = Platform(
        "libvirt",
        "tcg",
        "no KVM",
        "q35",
        "max",
        1,
        1 << 30,
        "qcow2",
        "none",
        "i",
        "QEMU",
        "libvirt",
        (1,),
        "",
    )
    guest = {"platform": platform, "hypervisor_cpu": HypervisorCpu(38.0, 1.5), "clock": clock_check()}
    made = shown(records(HOST, replace(HOST, wall_s=40.0, user_s=36.0, system_s=3.0), treatment=guest))
    assert made.causes[0].code == "emulation"
    assert "QEMU took 38 s" in made.causes[0].sentence


def test_a_rate_that_the_peer_timed_tells_the_work_too() -> None:
    sizes = Sizes(cache_bytes=None, memory_bytes=1 << 30, cpus=1)
    sends, receives = (
        with_parameters(name, Parameters(), sizes=sizes) for name in ("iperf3", "iperf3-reverse")
    )
    assert (
        [rate.name for rate in rates_of(sends)] == [rate.name for rate in rates_of(receives)] == ["received"]
    )
