"""The documented thresholds of the checks (``docs/doubts.md``): a row just below each, at it and above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.explain.sanity import Pair, Sampled, pairs
from assay.explain.sanity.cpu import efficiency, job_efficiency, system_cpu, system_share
from assay.explain.sanity.pressure import swap, throttled
from assay.explain.sanity.steal import steal_disagrees
from assay.explain.sanity.storage import cached_reads, claims_disk, flat_rate, flat_write_rate, round_limit
from assay.explain.sanity.waits import Wait, waits
from assay.explain.sanity.wall import copies_differ, short_wall
from assay.model.machines.machine import Limits
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.placement import PlacementSpec
from assay.report.doubts import worded
from tests.builders import WORKLOAD, clock_check, plan_of, record_of
from tests.explain.sanity.both import HERE, QUIET, THERE, both, copies_of

MIB = 1 << 20
USER = replace(WORKLOAD, parser="usage")


@pytest.mark.parametrize(
    ("wall_s", "interval_s", "doubted"),
    [
        (0.99, 0.1, True),
        (1.0, 0.1, False),
        (1.9, 1.0, True),  # less than two intervals
        (2.0, 1.0, False),
        (2.5, 1.0, False),
        (9.9, 5.0, True),
    ],
)
def test_a_wall_time_is_short_below_a_second_and_below_two_intervals(
    wall_s: float, interval_s: float, doubted: bool
) -> None:
    pair = both(replace(QUIET, wall_s=wall_s))
    assert bool(list(short_wall(pair, interval_s))) is doubted


@pytest.mark.parametrize(("known", "doubted"), [(0.003, False), (0.0031, True)])
def test_a_clock_is_to_be_known_to_three_thousandths(known: float, doubted: bool) -> None:
    pair = both(here={"clock": clock_check(rate_uncertainty=known)})
    assert bool(list(short_wall(pair, 1.0))) is doubted


@pytest.mark.parametrize(
    ("family", "events", "doubts"), [("job", 1, 0), ("job", None, 1), (None, 1, 1), (None, None, 1)]
)
def test_only_members_of_a_scan_of_event_numbers_may_be_short(
    family: str | None, events: int | None, doubts: int
) -> None:
    member = replace(WORKLOAD, family=family, events=events)
    found = list(short_wall(both(replace(QUIET, wall_s=0.5), workload=member), 1.0))
    assert len(found) == doubts
    loose = {"clock": clock_check(rate_uncertainty=0.01)}
    assert list(short_wall(both(replace(QUIET, wall_s=0.5), workload=member, here=loose), 1.0))


@pytest.mark.parametrize(
    ("walls", "doubted"),
    [
        ((9.0, 10.0, 10.0), False),  # a tenth of the median
        ((8.9, 10.0, 10.0), True),
        ((10.0, 10.0, 11.1), True),
        ((10.0, 11.0), False),  # of two the longer stands for the median
        ((0.0, 10.0), False),
        ((10.0,), False),
    ],
)
def test_copies_differ_from_more_than_a_tenth_of_their_median_on(
    walls: tuple[float, ...], doubted: bool
) -> None:
    assert bool(list(copies_differ(both(here={"copies": copies_of(*walls)})))) is doubted


@pytest.mark.parametrize(
    ("held", "moved", "doubted"),
    [
        (MIB - 1, 0, False),
        (MIB, 0, True),
        (0, 255, False),
        (0, 256, True),
        (None, None, False),
        (MIB, None, True),
        (None, 256, True),
    ],
)
def test_swap_is_doubted_from_one_mebibyte_or_256_pages_on(
    held: int | None, moved: int | None, doubted: bool
) -> None:
    sampled = {HERE.name: Sampled(swap_bytes=held, swapped_pages=moved)}
    assert bool(list(swap(both(sampled=sampled)))) is doubted


@pytest.mark.parametrize(
    ("count", "held_s", "doubted"),
    [
        (3, 0.099, False),
        (3, 0.1, True),  # 0.1 % of 100 s
        (3, None, True),
        (3, 0.0, True),
        (0, 5.0, False),
        (None, 5.0, False),
    ],
)
def test_heat_is_doubted_from_a_thousandth_of_the_wall_time_on(
    count: int | None, held_s: float | None, doubted: bool
) -> None:
    sampled = {HERE.name: Sampled(heat_count=count, heat_s=held_s)}
    assert bool(list(throttled(both(sampled=sampled)))) is doubted


@pytest.mark.parametrize(
    ("stood_s", "doubted"), [(None, False), (0.0, False), (0.99, False), (1.0, True), (1.01, True)]
)
def test_a_quota_is_doubted_from_one_percent_of_the_wall_time_on(
    stood_s: float | None, doubted: bool
) -> None:
    assert bool(list(throttled(both(replace(QUIET, throttled_s=stood_s))))) is doubted


@pytest.mark.parametrize(
    ("steal_s", "doubted"), [(7.5, False), (7.4, True), (14.0, False), (14.1, True), (10.0, False)]
)
def test_steal_is_doubted_more_than_two_percent_of_the_wall_time_outside_its_bounds(
    steal_s: float, doubted: bool
) -> None:
    sampled = {THERE.name: Sampled(vcpu_wait_s=(9.5, 12.0))}
    pair = both(QUIET, replace(QUIET, steal_s=steal_s), sampled=sampled)
    assert bool(list(steal_disagrees(pair))) is doubted


def test_of_several_disagreeing_trials_the_worst_is_told() -> None:
    one, two = (PlannedTrial(at, at, 0, Arm.BASELINE, 0, "spin") for at in range(2))
    records = [record_of(t, 1.0, usage=replace(QUIET, steal_s=s)) for t, s in ((one, 30.0), (two, 20.0))]
    sampled = {one.name: Sampled(vcpu_wait_s=(0.0, 1.0)), two.name: Sampled(vcpu_wait_s=(0.0, 1.0))}
    plan = replace(plan_of((one, two)), workloads=(replace(WORKLOAD, name="spin"),))
    (doubt,) = steal_disagrees(pairs(plan, records, sampled)[0])
    assert doubt.code == "steal-disagrees"
    assert worded(doubt).sentence == (
        "spin on host: its own kernel counted 30 s of steal, while on the host its vCPUs waited "
        "0 to 1 s for a processor (0000-b0-baseline-spin; 29 s apart there, 24 s in the median of 2 trials)."
    )


@pytest.mark.parametrize(
    ("here", "there", "doubted"),
    [
        (70.0, 69.9, True),
        (69.9, 50.0, False),  # neither shows that it can
        (70.0, 70.0, False),
    ],
)
def test_a_job_claims_the_processor_where_one_arm_reaches_an_efficiency_of_seven_tenths(
    here: float, there: float, doubted: bool
) -> None:
    arms = (replace(QUIET, user_s=cpu, system_s=0.0) for cpu in (here, there))
    assert bool(list(job_efficiency(both(*arms, workload=USER)))) is doubted


@pytest.mark.parametrize("parser", ["sysbench-cpu", "flops", "stream"])
def test_workloads_that_only_compute_claim_the_processor_on_both_arms(parser: str) -> None:
    waiting = replace(QUIET, user_s=50.0)
    assert list(job_efficiency(both(waiting, waiting, workload=replace(WORKLOAD, parser=parser))))


@pytest.mark.parametrize(("share", "doubted"), [(0.20, False), (0.21, True)])
def test_a_kernels_share_is_doubted_above_a_fifth(share: float, doubted: bool) -> None:
    usage = replace(QUIET, user_s=100 * (1 - share), system_s=100 * share)
    assert bool(list(system_cpu(both(usage, usage)))) is doubted
    assert list(system_cpu(both(usage, usage, workload=replace(WORKLOAD, parser="fio")))) == []


@pytest.mark.parametrize(
    ("here", "there", "doubted"),
    [
        (2.0, 5.0, False),
        (2.0, 5.1, True),
        (6.0, 12.0, False),
        (6.0, 12.1, True),
        (12.1, 6.0, False),
    ],
)
def test_a_treatments_share_is_doubted_above_a_twentieth_and_twice_the_baselines(
    here: float, there: float, doubted: bool
) -> None:
    arms = (replace(QUIET, user_s=100 - system, system_s=system) for system in (here, there))
    assert bool(list(system_cpu(both(*arms)))) is doubted


@pytest.mark.parametrize(("cpu_s", "share"), [(0.49, None), (0.5, 0.5)])
def test_a_share_of_less_than_half_a_second_is_not_known(cpu_s: float, share: float | None) -> None:
    usage = replace(QUIET, user_s=cpu_s / 2, system_s=cpu_s / 2)
    assert system_share(record_of(HERE, 1.0, usage=usage)) == share
    assert system_share(record_of(HERE, 1.0, usage=None)) is None


@pytest.mark.parametrize(
    ("copies", "threads", "cpus", "expected"),
    [
        (1, None, (0, 1, 2, 3), 0.98),
        (1, 2, (0, 1, 2, 3), 0.49),
        (3, 1, (0, 1, 2, 3), 0.98 / 3),
        (3, 2, (0, 1, 2, 3), 0.245),
        (3, 2, (), 0.49),  # the machine has two
    ],
)
def test_efficiency_is_cpu_time_over_wall_time_and_lanes(
    copies: int, threads: int | None, cpus: tuple[int, ...], expected: float
) -> None:
    trial = record_of(HERE, 1.0, usage=QUIET, copies=copies_of(*[100.0] * copies), limits=Limits(cpus))
    assert efficiency(trial, threads) == pytest.approx(expected)
    assert efficiency(replace(trial, usage=None), threads) is None
    assert efficiency(replace(trial, usage=replace(QUIET, wall_s=0.0)), threads) is None


@pytest.mark.parametrize(("seconds", "reported"), [(1.99, False), (2.0, True)])
def test_waits_of_less_than_two_percent_of_the_wall_time_are_not_told(seconds: float, reported: bool) -> None:
    found = waits(both(replace(QUIET, block_io_s=seconds)).baseline)
    assert found == ({Wait.BLOCK_IO: seconds} if reported else {})


def test_time_in_the_queue_that_a_quota_made_is_not_counted_twice() -> None:
    usage = replace(QUIET, throttled_s=20.0, run_queue_s=30.0, block_io_s=15.0)
    reported = waits(both(usage).baseline)
    assert list(reported.items()) == [(Wait.QUOTA, 20.0), (Wait.BLOCK_IO, 15.0), (Wait.PROCESSOR, 10.0)]
    assert waits(both(replace(usage, run_queue_s=10.0)).baseline) == {
        Wait.QUOTA: 20.0,
        Wait.BLOCK_IO: 15.0,
    }


@pytest.mark.parametrize(
    ("copies", "threads", "crowded"), [(2, None, False), (3, None, True), (1, 2, False), (2, 2, True)]
)
def test_copies_wait_for_each_other_where_there_are_more_than_processors(
    copies: int, threads: int | None, crowded: bool
) -> None:
    workload = replace(WORKLOAD, placement=PlacementSpec(copies=copies, threads=threads))
    usage = replace(QUIET, run_queue_s=30.0)
    reported = waits(both(usage, workload=workload, here={"limits": Limits((0, 1))}).baseline)
    assert reported == {Wait.OWN_COPIES if crowded else Wait.PROCESSOR: 30.0}


STEADY = np.full(12, 100e6)


def rates(*changes: tuple[int, float]) -> float | None:
    """Return the flat rate of twelve seconds at 100 MB/s but for some, of which the first and the last do not
    count.
    """
    found = STEADY.copy()
    for at, rate in changes:
        found[at] = rate
    return flat_rate(np.arange(13.0), np.concatenate([[0.0], np.cumsum(found)]))


def test_a_rate_is_flat_where_four_fifths_lie_within_two_percent_of_it() -> None:
    assert rates((0, 5e6), (11, 5e6)) == pytest.approx(100e6)
    assert rates((1, 101.9e6), (2, 98.1e6)) == pytest.approx(100e6)
    assert rates((1, 150e6), (2, 50e6)) == pytest.approx(100e6)
    assert rates((1, 150e6), (2, 50e6), (3, 150e6)) is None
    assert rates((1, 103e6), (2, 97e6), (3, 102.1e6)) is None
    assert rates((1, 103e6), (2, 97e6), (3, 101.9e6)) == pytest.approx(100e6)


@pytest.mark.parametrize(("steps", "flat"), [(9, None), (10, 100e6), (11, 100e6)])
def test_eight_steps_between_the_first_and_the_last_say_something(steps: int, flat: float | None) -> None:
    assert flat_rate(np.arange(steps + 1.0), 100e6 * np.arange(steps + 1.0)) == flat


def test_samples_at_one_moment_and_steps_without_writes_say_nothing() -> None:
    seconds = np.repeat(np.arange(11.0), 2)
    totals = np.repeat(50e6 * np.arange(11.0), 2)
    assert flat_rate(seconds, totals) == pytest.approx(50e6)
    assert flat_rate(seconds[:18], totals[:18]) is None


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (101.9e6, "100 MB/s"),
        (98.1e6, "100 MB/s"),
        (102.5e6, None),
        (97e6, None),
        (1e6, "1 MB/s"),
        (1.5e6, "1.5 MB/s"),
        (250e6, "250 MB/s"),
        (2e9, "2000 MB/s"),
        (10e9, "10000 MB/s"),
        (0.9e6, None),
        (35e6, None),
        (20.97152e6, "20 MiB/s"),
        (75.5e6, "75 MB/s"),
        (250 * 2**20, "250 MiB/s"),
    ],
)
def test_round_limits_are_within_two_percent_of_a_round_figure(rate: float, text: str | None) -> None:
    assert round_limit(rate) == text


@pytest.mark.parametrize(
    ("limited", "trials", "doubted"), [(1, 1, True), (1, 2, False), (2, 3, True), (2, 4, False)]
)
def test_a_limit_is_doubted_in_more_than_half_of_the_trials(limited: int, trials: int, doubted: bool) -> None:
    planned = [PlannedTrial(at, at, 0, Arm.BASELINE, 0, "spin") for at in range(trials)]
    written = Sampled(100e6)
    plan = replace(plan_of(tuple(planned)), workloads=(replace(WORKLOAD, name="spin"),))
    records = [record_of(trial, 1.0, usage=QUIET) for trial in planned]
    (pair,) = pairs(plan, records, {trial.name: written for trial in planned[:limited]})
    assert bool(list(flat_write_rate(pair))) is doubted


def _read(asked: int, fetched: int) -> Pair:
    usage = replace(QUIET, logical_read_bytes=asked, read_bytes=fetched)
    return both(usage, usage, workload=replace(USER, cache=CacheSpec(CacheState.COLD)))


@pytest.mark.parametrize(
    ("asked", "fetched", "doubts"),
    [
        (64 * MIB - 1, 0, 0),
        (64 * MIB, 0, 2),
        (100 * MIB, 2 * MIB, 2),  # 2 % came from storage
        (100 * MIB, 2 * MIB + 1, 0),
        (0, 64 * MIB, 0),
    ],
)
def test_memory_served_reads_of_64_mib_of_which_a_fiftieth_came_from_storage(
    asked: int, fetched: int, doubts: int
) -> None:
    assert len(list(cached_reads(_read(asked, fetched)))) == doubts


def test_reads_of_data_from_a_server_are_not_judged() -> None:
    usage = replace(QUIET, logical_read_bytes=100 * MIB, read_bytes=0)
    cold = replace(USER, cache=CacheSpec(CacheState.COLD))
    served = {"data": (SeenFactor("data.access", "nfs", "its mount"),)}
    local = {"data": (SeenFactor("data.access", "local", "its mount"),)}
    assert list(cached_reads(both(usage, usage, workload=cold, here=served, there=served))) == []
    assert len(list(cached_reads(both(usage, usage, workload=cold, here=local, there=local)))) == 2


@pytest.mark.parametrize(
    ("parser", "wanted", "claims"),
    [
        ("fio", None, True),
        ("iozone", None, True),
        ("iozone-by-fio", None, True),
        ("bonnie++", None, True),
        ("sysbench-fileio", None, True),
        ("usage", None, False),
        ("fio", CacheState.WARM, False),
        ("usage", CacheState.COLD, True),
    ],
)
def test_a_workload_claims_the_disk_by_its_cache_or_by_what_it_is(
    parser: str, wanted: CacheState | None, claims: bool
) -> None:
    workload = replace(WORKLOAD, parser=parser, cache=None if wanted is None else CacheSpec(wanted))
    assert claims_disk(both(workload=workload)) is claims


def test_only_ended_trials_are_looked_at_in_the_order_of_the_plan() -> None:
    from assay.model.trial import State

    planned = [PlannedTrial(at, at, 0, Arm.BASELINE, 0, "spin") for at in range(3)]
    records = [record_of(trial, 1.0) for trial in planned]
    records[1] = replace(records[1], state=State.FAILED)
    other = record_of(PlannedTrial(3, 0, 0, Arm.BASELINE, 0, "other"), 1.0)
    plan = replace(plan_of(tuple(planned)), workloads=(replace(WORKLOAD, name="spin"),))
    (pair,) = pairs(plan, [other, *reversed(records)])
    assert pair.arms[0].trials == (records[0], records[2])
    assert pair.arms[1].trials == ()
    assert (pair.baseline.label, pair.treatment.label) == ("host", "other")
    figures: Mapping[str, Any] = {"rss": pair.baseline.usage(lambda usage: float(usage.rss_bytes))}
    assert figures == {"rss": float(MIB)}
    assert pair.treatment.usage(lambda usage: usage.wall_s) is None
