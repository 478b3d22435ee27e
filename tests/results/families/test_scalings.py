"""From the trials of a family to its scaling curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.explain.sanity import LoopSampled, Sampled
from assay.model.activity import ActivityPlan
from assay.model.machines.clock import Instant
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, State, Trial, Usage
from assay.model.work.accounting import METRICS as ACCOUNTING
from assay.model.work.observation import Count
from assay.model.work.phase import PhaseTime
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.pages.families.scaling import Scaling
from assay.results.families.scalings import JOBS, scale_point
from assay.results.outcome import build_page
from assay.results.series.disks import busiest_disk
from assay.results.series.loop_window import loop_span_s, loop_window, with_core
from assay.results.series.sampled import read_sampled
from tests.builders import FACTS, WORKLOAD, clock_check, plan_of, record_of

WALL = Metric("wall", "s", Direction.LOWER)


def family(counts: Sequence[int] = (1, 2, 4), **changes: object) -> tuple[Workload, ...]:
    made = (
        replace(WORKLOAD, name=f"spin-c{n}", placement=PlacementSpec(copies=n), family="spin") for n in counts
    )
    return tuple(replace(workload, **changes) for workload in made)  # type: ignore[arg-type]


def plan_for(workloads: tuple[Workload, ...], blocks: int = 3) -> ActivityPlan:
    """Return a plan of every workload on both arms in each block."""
    planned = [
        PlannedTrial(0, block, slot, arm, 0, workload.name)
        for block in range(blocks)
        for slot, arm in enumerate(Arm)
        for workload in workloads
    ]
    return replace(plan_of(tuple(replace(p, index=at) for at, p in enumerate(planned))), workloads=workloads)


def records_of(plan: ActivityPlan) -> list[Trial]:
    """Return records whose rates stop growing at two copies on one processor pair, the treatment's at one."""
    copies = {workload.name: workload.placement.copies for workload in plan.workloads}
    found = []
    for planned in plan.trials:
        most = 2 if planned.arm is Arm.BASELINE else 1
        rate = 10.0 * min(copies[planned.workload], most) * (1 + planned.block / 1000)
        busy = min(copies[planned.workload], most) / most
        usage = Usage(4.0, 4.0 * 2 * busy * 0.97, 0.1, 1 << 20, None, None)
        found.append(record_of(planned, rate, usage=usage, limits=Limits((0, 1))))
    return found


def scaled(plan: ActivityPlan, records: Sequence[Trial]) -> Scaling:
    (scaling,) = build_page(plan, records).scalings
    return scaling


def test_a_family_gives_a_curve_of_each_arm_with_knee_best_and_resource() -> None:
    plan = plan_for(family())
    scaling = scaled(plan, records_of(plan))
    host, other = scaling.curves
    assert (scaling.workload, scaling.metric, scaling.unit) == ("spin", "events", "events/s")
    assert [point.workers for point in host.points] == [1, 2, 4]
    assert host.knee == pytest.approx(2.0, rel=0.01)
    assert (host.best, other.best) == (2, 1)
    assert host.resource == "cpu"
    assert other.points[1].efficiency == pytest.approx(0.5)


def test_one_number_of_copies_and_workloads_without_a_family_have_no_curve() -> None:
    for workloads in (family((2,)), family(family=None)):
        plan = plan_for(workloads)
        assert build_page(plan, records_of(plan)).scalings == ()


def test_event_numbers_of_a_family_are_not_mixed_into_one_curve() -> None:
    workloads = (*family(events=10), *(replace(w, name=f"{w.name}-more") for w in family(events=99)))
    plan = plan_for(workloads)
    assert [s.workload for s in build_page(plan, records_of(plan)).scalings] == [
        "spin, 10 events",
        "spin, 99 events",
    ]


def test_failed_trials_have_no_point_and_an_arm_without_any_has_no_curve() -> None:
    plan = plan_for(family())
    failed = [
        replace(r, state=State.FAILED, measurements=()) if r.planned.arm is Arm.TREATMENT else r
        for r in records_of(plan)
    ]
    assert [curve.label for curve in scaled(plan, failed).curves] == ["host"]


def test_a_workload_without_a_rate_counts_copies_by_its_wall_time() -> None:
    plan = plan_for(family(metrics=(WALL,)))
    bare = [replace(record, measurements=()) for record in records_of(plan)]
    scaling = scaled(plan, bare)
    assert (scaling.metric, scaling.unit) == ("jobs", "jobs/s")
    assert [point.rate for point in scaling.curves[0].points] == pytest.approx([0.25, 0.5, 1.0])


def test_figures_of_the_accounting_are_nobody_s_rate() -> None:
    plan = plan_for(family(metrics=(WALL, *ACCOUNTING)))
    told = tuple(Measurement(metric, 10.0) for metric in ACCOUNTING)
    bare = [replace(record, measurements=told) for record in records_of(plan)]
    assert scaled(plan, bare).metric == "jobs"


def test_a_clock_that_is_not_trusted_gives_no_rate_and_a_known_one_corrects_it() -> None:
    record = record_of(PlannedTrial(0, 0, 0, Arm.TREATMENT, 0, "spin"), None)
    assert scale_point(replace(record, clock=clock_check(1.5)), 2, JOBS, None) is None
    point = scale_point(replace(record, clock=clock_check(1.005)), 2, JOBS, None)
    assert point is not None
    assert point.rate == pytest.approx(2 * 1.005 / 4.0)


def test_a_point_has_the_figures_of_its_resources() -> None:
    usage = Usage(10.0, 6.0, 2.0, 1 << 20, 30_000_000, 20_000_000)
    counts = (Count("cycles", 4000), Count("instructions", 2000), Count("cache-misses", 100))
    record = record_of(
        PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"), 5.0, usage=usage, counts=counts,
        facts=replace(FACTS, cpus=(0, 1)), limits=Limits(cpu_quota=0.5),
    )  # fmt: skip
    metric = WORKLOAD.metrics[0]
    point = scale_point(record, 2, metric, Sampled(disk_busy_share=0.9, disk_latency_s=0.01))
    assert point is not None
    assert (point.processors, point.cpu_share, point.system_share) == (2, pytest.approx(0.8), 0.25)
    assert (point.disk_bytes_per_s, point.disk_busy_share, point.disk_latency_s) == (5e6, 0.9, 0.01)
    assert (point.cycles_per_instruction, point.memory_bytes_per_s) == (2.0, 640.0)


def looping(*, copies: int = 2) -> Trial:
    """Return a trial of 10 s whose event loop is from the fourth second to the eighth, later by 0.1 s in each
    copy.
    """
    stays = tuple(
        PhaseTime(
            copy,
            phase,
            Instant(int(at * 1e9), 0),
            Instant(int((at + for_s) * 1e9), 0),
            for_s,
            None,
            None,
            events,
            io_wait_s=for_s / 2,
        )
        for copy in range(copies)
        for phase, at, for_s, events in (("init", 0.0, 4.0, 0), ("event-loop", 4 + copy / 10, 3.9, 100))
    )
    usage = Usage(10.0, 8.0, 0.0, 1 << 20, 40_000_000, 0, run_queue_s=9.0, block_io_s=1.0, io_wait_s=3.0)
    limits = Limits((0,), read_bytes_per_s=5_000_000, disks=("loop1", "loop2"))
    planned = PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin")
    return record_of(planned, 5.0, usage=usage, limits=limits, phases=stays)


def sampled_every(step_s: float, record: Trial | None = None) -> Sampled:
    """Return what series tell of a job that computes for 4 s, and then reads 10 MB/s at a quarter of a
    processor's time.
    """
    seconds = np.arange(0, 10.01, step_s)
    loop = np.clip(seconds - 4, 0, 4)
    cpu = np.minimum(seconds, 4) + loop / 4
    core = {
        "mono_ns": 1e9 * seconds,
        "job_user_s": cpu - loop / 16,
        "job_system_s": loop / 16,
        "job_read_bytes": loop * 10e6,
        "job_write_bytes": 0 * seconds,
    }
    span = loop_span_s(record or looping())
    more = LoopSampled(disk_busy_share=1.0, disk_latency_s=0.02, run_queue_s=0.8)
    told = None if span is None else with_core(more, core, span)
    return Sampled(disk_busy_share=0.4, disk_latency_s=0.05, loop=told)


def test_processors_and_disk_are_those_of_the_event_loop_where_series_tell_it() -> None:
    record, reported = looping(), sampled_every(0.5)
    window = loop_window(record, reported)
    assert window is not None
    assert (window.wall_s, window.cpu_s) == (pytest.approx(4.0), pytest.approx(1.0))
    point = scale_point(record, 2, WORKLOAD.metrics[0], reported, window)
    assert point is not None
    assert point.cpu_share == pytest.approx(0.25)
    assert point.disk_bytes_per_s == pytest.approx(10e6)
    assert point.read_limit_bytes_per_s == 10_000_000
    assert point.read_limit_share == pytest.approx(1.0)
    assert (point.disk_busy_share, point.disk_latency_s) == (1.0, 0.02)
    assert point.system_share == pytest.approx(0.25)
    assert point.run_queue_share == pytest.approx(0.1)
    assert point.io_wait_share == pytest.approx(0.5)


def test_what_no_series_tells_of_the_event_loop_is_not_taken_from_the_whole_trial() -> None:
    made = sampled_every(0.5)
    assert made.loop is not None
    bare_loop = LoopSampled(cpu_s=made.loop.cpu_s, read_bytes=made.loop.read_bytes)
    reported = replace(made, loop=bare_loop)
    bare = replace(looping(), counts=(Count("cache-misses", 100),))
    record = replace(bare, phases=tuple(replace(stay, io_wait_s=None) for stay in bare.phases))
    point = scale_point(record, 2, WORKLOAD.metrics[0], reported, loop_window(record, reported))
    assert point is not None
    assert (point.disk_busy_share, point.disk_latency_s, point.system_share) == (None, None, None)
    assert (point.run_queue_share, point.io_wait_share, point.memory_bytes_per_s) == (None, None, None)


def phased(*stays: tuple[str, float, float, int | None]) -> Trial:
    """Return a trial of one copy with these phases: name, begin, end and events."""
    reported = tuple(
        PhaseTime(0, name, Instant(int(at * 1e9), 0), Instant(int(to * 1e9), 0), to - at, None, None, events)
        for name, at, to, events in stays
    )
    return replace(looping(copies=1), phases=reported)


def test_a_job_of_several_loops_has_no_event_loop_of_its_own() -> None:
    """The rate is over all of them, and what lies between them is none of it."""
    chain = phased(
        ("gen-init", 0, 1, None), ("gen", 1, 4, 100), ("sim-init", 4, 6, None), ("sim", 6, 10, 100)
    )
    filtered = phased(("gen", 1, 4, 100), ("sim", 6, 10, 40))
    again = phased(("init", 0, 1, None), ("loop", 1, 4, 100), ("merge", 4, 6, None), ("loop", 6, 10, 100))
    for record in (chain, filtered, again):
        assert loop_window(record, sampled_every(0.5, record)) is None
    told_late = phased(("init", 0, 4, None), ("loop", 4, 8, 100), ("end", 8, 9, 5))
    late = loop_window(told_late, sampled_every(0.5, told_late))
    assert late is not None
    assert late.wall_s == pytest.approx(4.0)


def test_samples_too_far_apart_and_jobs_without_events_have_no_event_loop_of_their_own() -> None:
    record = looping()
    assert loop_window(record, sampled_every(2.0)) is None
    assert loop_window(record, None) is None
    assert loop_window(replace(record, phases=()), sampled_every(0.5)) is None
    bare = scale_point(record, 2, WORKLOAD.metrics[0], sampled_every(2.0))
    assert bare is not None
    assert (bare.cpu_share, bare.disk_bytes_per_s) == (pytest.approx(0.8), pytest.approx(4e6))


def test_waits_of_threads_are_shared_out_to_the_threads_of_every_copy() -> None:
    usage = Usage(10.0, 6.0, 2.0, 1 << 20, None, None, run_queue_s=30.0, block_io_s=60.0, io_wait_s=3.0)
    planned = PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin")
    record = record_of(planned, 5.0, usage=usage, limits=Limits((0, 1)))
    metric = WORKLOAD.metrics[0]
    point = scale_point(record, 2, metric, None, threads=4)
    assert point is not None
    assert point.threads == 4
    assert (point.io_wait_share, point.run_queue_share) == (pytest.approx(0.75), pytest.approx(0.375))
    unknown = scale_point(record, 2, metric, None)
    assert unknown is not None
    assert (unknown.io_wait_share, unknown.run_queue_share) == (pytest.approx(0.15), None)


def test_threads_of_a_placement_are_those_of_its_points() -> None:
    placed = [replace(w, placement=replace(w.placement, threads=2)) for w in family((2, 4, 8))]
    plan = plan_for(tuple(placed))
    waiting = [
        replace(r, usage=replace(r.usage, user_s=2.0, run_queue_s=4.0 * 2 * n * (1 - 1 / n)))
        for r in records_of(plan)
        if r.usage is not None
        for n in [next(w.placement.copies for w in placed if w.name == r.planned.workload)]
    ]
    host, _ = scaled(plan, waiting).curves
    assert host.resource == "unknown"


def test_copies_in_one_container_are_the_workers_of_its_curve() -> None:
    inside = tuple(
        replace(w, placement=PlacementSpec(threads=4 * n), copies_inside=n)
        for w, n in zip(family((2, 4, 8)), (2, 4, 8), strict=True)
    )
    of_copies, of_containers = (
        scaled(plan_for(these), records_of(plan_for(family((2, 4, 8)))))
        for these in (inside, family((2, 4, 8)))
    )
    assert [point.workers for point in of_copies.curves[0].points] == [2, 4, 8]
    assert of_copies.curves[0].points == of_containers.curves[0].points


DISKS = """mono_ns,real_ns,device,reads_count,read_s,writes_count,write_s,busy_s
1000000000,0,vda,100,1.0,50,0.5,2.0
1000000000,0,vdb,5,0.1,0,0,0.1
11000000000,0,vda,300,3.0,150,1.5,10.0
11000000000,0,vdb,6,0.1,0,0,0.2
"""


def test_the_busiest_disk_tells_its_share_and_the_time_of_a_request() -> None:
    names, *lines = [line.split(",") for line in DISKS.splitlines()]
    rows = [dict(zip(names, line, strict=True)) for line in lines]
    busy, latency = busiest_disk(rows)
    assert busy == pytest.approx(0.8)
    assert latency == pytest.approx(0.01)
    assert busiest_disk(rows[:1]) == (None, None)
    assert busiest_disk([]) == (None, None)


def test_a_disk_that_is_busy_in_the_event_loop_alone_is_busy_there() -> None:
    totals = ((0.0, 0, 0.0), (4.0, 0, 0.0), (8.0, 200, 4.0), (10.0, 200, 4.0))
    rows = [
        {"mono_ns": f"{at * 1e9:.0f}", "device": "vda", "busy_s": f"{busy}", "reads_count": f"{count}",
         "read_s": f"{count / 100}", "writes_count": "", "write_s": ""}
        for at, count, busy in totals
    ]  # fmt: skip
    assert busiest_disk(rows) == (pytest.approx(0.4), pytest.approx(0.01))
    assert busiest_disk(rows, (4.0, 8.0)) == (pytest.approx(1.0), pytest.approx(0.01))
    assert busiest_disk(rows, (5.0, 7.0)) == (pytest.approx(1.0), pytest.approx(0.01))
    assert busiest_disk(rows, (8.0, 12.0)) == (0.0, None)
    assert busiest_disk(rows, (11.0, 12.0)) == (None, None)


def test_series_of_other_groups_are_cut_to_the_event_loop(tmp_path: Path) -> None:
    record = looping(copies=1)
    place = tmp_path / "trials" / record.planned.name
    place.mkdir(parents=True)
    (place / "samples.csv").write_text("mono_ns,job_user_s,job_system_s\n0,0,0\n10000000000,4,2\n")
    (place / "disks.csv").write_text(
        "mono_ns,real_ns,device,reads_count,read_s,writes_count,write_s,busy_s\n"
        "0,0,vda,0,0,0,0,0\n4000000000,0,vda,0,0,0,0,0\n7900000000,0,vda,78,7.8,0,0,3.9\n"
    )
    (place / "delay.csv").write_text(
        "mono_ns,source,run_queue_s,block_io_s\n0,taskstats,0,0\n4000000000,taskstats,3,0\n7900000000,taskstats,4,2\n"
    )
    (sampled,) = read_sampled([record], tmp_path).values()
    assert sampled.loop is not None
    assert (sampled.loop.disk_busy_share, sampled.loop.disk_latency_s) == (
        pytest.approx(1.0),
        pytest.approx(0.1),
    )
    assert (sampled.loop.run_queue_s, sampled.loop.block_io_s) == (pytest.approx(1.0), pytest.approx(2.0))
    assert sampled.loop.cpu_s is None  # two samples in ten seconds say nothing of four
    every = "".join(f"{at}000000000,{at / 4},{at / 5}\n" for at in range(11))
    (place / "samples.csv").write_text(f"mono_ns,job_user_s,job_system_s\n{every}")
    (sampled,) = read_sampled([record], tmp_path).values()
    assert sampled.loop is not None
    assert (sampled.loop.cpu_s, sampled.loop.system_s) == (pytest.approx(1.755), pytest.approx(0.78))
    assert (sampled.loop.read_bytes, sampled.loop.write_bytes) == (None, None)


def test_extracts_are_read_from_the_series_that_are_there(tmp_path: Path) -> None:
    record = record_of(PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"), 1.0)
    place = tmp_path / "trials" / record.planned.name
    place.mkdir(parents=True)
    assert read_sampled([record], tmp_path) == {}
    (place / "samples.csv").write_text("mono_ns,job_write_bytes\n1000000000,0\n2000000000,50\n")
    (place / "disks.csv").write_text(DISKS)
    (place / "memory.csv").write_text("mono_ns,source,swap_bytes\n1,cgroup-v2,0\n2,cgroup-v2,4096\n")
    (place / "vmstat.csv").write_text("mono_ns,pswpin,pswpout\n1,5,7\n2,6,10\n")
    (place / "frequency.csv").write_text(
        "mono_ns,cpu,core_throttles_count,package_throttles_count,core_throttled_s\n1,0,3,9,0.5\n1,1,0,9,0\n2,0,5,10,0.75\n2,1,0,10,0\n"
    )
    (sampled,) = read_sampled([record], tmp_path).values()
    assert sampled.write_rate is None  # two samples do not say that a rate is constant
    assert (sampled.swap_bytes, sampled.swapped_pages) == (4096, 4)
    assert (sampled.heat_count, sampled.heat_s) == (2, 0.25)
    assert sampled.disk_busy_share == pytest.approx(0.8)
    steady = "".join(f"{at}000000000,{at * 50_000_000}\n" for at in range(13))
    (place / "samples.csv").write_text(f"mono_ns,job_write_bytes\n{steady}")
    (sampled,) = read_sampled([record], tmp_path).values()
    assert sampled.write_rate == pytest.approx(50e6)
