"""A doubt over several trials tells the median and the worst of them, never the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.explain.sanity import Pair, Sampled, pairs
from assay.explain.sanity.cpu import job_efficiency, system_cpu
from assay.explain.sanity.pressure import swap, throttled
from assay.explain.sanity.runs import Spread
from assay.explain.sanity.storage import cached_reads, flat_write_rate
from assay.explain.sanity.wall import copies_differ, short_wall
from assay.model.trial import Arm, PlannedTrial, Usage
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.workload import Workload
from assay.report.doubts import worded
from assay.report.doubts.spelled import extreme, usual
from tests.builders import WORKLOAD, clock_check, plan_of, record_of
from tests.explain.sanity.both import QUIET, copies_of

TRIALS = tuple(PlannedTrial(at, at, 0, Arm.BASELINE, 0, "spin") for at in range(3))
FIRST, WORST, LAST = (trial.name for trial in TRIALS)
MIB = 1 << 20


def of(
    usages: Sequence[Usage] = (QUIET, QUIET, QUIET),
    *,
    workload: Workload = WORKLOAD,
    sampled: Sequence[Sampled] = (),
    changes: Sequence[dict[str, object]] = ({}, {}, {}),
) -> Pair:
    """Return a workload with three trials of the baseline: the second is the worst, the last the
    usual one.
    """
    plan = replace(plan_of(TRIALS), workloads=(replace(workload, name="spin"),))
    records = [
        record_of(trial, 1.0, usage=usage, **more)
        for trial, usage, more in zip(TRIALS, usages, changes, strict=True)
    ]
    named = dict(zip((trial.name for trial in TRIALS), sampled, strict=False))
    return pairs(plan, records, named)[0]


def said(found: Sequence[object]) -> str:
    (doubt,) = found
    return worded(doubt).sentence  # type: ignore[arg-type]


def walls(*seconds: float) -> list[Usage]:
    return [replace(QUIET, wall_s=wall_s) for wall_s in seconds]


def test_a_spread_is_one_figure_where_all_trials_say_the_same() -> None:
    same = Spread(0.771, 0.772, "0003", 4)
    assert usual(same, lambda share: f"{share:.0%}") == extreme(same, lambda share: f"{share:.0%}") == "77%"
    wide = Spread(0.07, 0.77, "0003", 4)
    assert usual(wide, lambda share: f"{share:.0%}") == "7% in the median (77% at worst, in 0003)"
    assert extreme(wide, lambda share: f"{share:.0%}") == "77% at worst (in 0003; 7% in the median)"


def test_the_worst_is_the_first_of_several_and_trials_that_do_not_tell_are_left_out() -> None:
    pair = of([*walls(5.0, 9.0), replace(QUIET, wall_s=9.0)])
    found = pair.baseline.spread(lambda trial: trial.usage.wall_s if trial.usage else None)
    assert found == Spread(9.0, 9.0, WORST, 3)
    assert pair.baseline.spread(lambda trial: None) is None
    assert pair.treatment.spread(lambda trial: 1.0) is None


def test_a_short_wall_time() -> None:
    reported = said(list(short_wall(of(walls(0.9, 0.2, 0.6)), 0.1)))
    assert reported.startswith(f"spin took 0.6 s in the median (0.2 s at worst, in {WORST}) on host: ")


def test_a_clock_that_is_hardly_known() -> None:
    clocks = [{"clock": clock_check(rate_uncertainty=known)} for known in (0.004, 0.02, 0.005)]
    assert f"known to 0.50% in the median (2.00% at worst, in {WORST})" in said(
        list(short_wall(of(changes=clocks), 1.0))
    )


def test_a_job_efficiency() -> None:
    reported = said(list(job_efficiency(of(walls(200.0, 980.0, 245.0)))))
    assert f"of 40% in the median (10% at worst, in {WORST}) on host" in reported


def test_a_kernels_share() -> None:
    usages = [replace(QUIET, user_s=100 - system, system_s=system) for system in (30.0, 96.0, 40.0)]
    reported = said(list(system_cpu(of(usages))))
    assert reported.startswith(
        f"40% in the median (96% at worst, in {WORST}) of the CPU time of spin on host"
    )


def test_copies_apart() -> None:
    copies = [{"copies": copies_of(10.0, 10.0, wall_s)} for wall_s in (11.5, 18.0, 12.0)]
    reported = said(list(copies_differ(of(changes=copies))))
    assert f"20% in the median (80% at worst, in {WORST}) of their median apart" in reported


def test_swap_and_heat_tell_the_median_beside_their_worst() -> None:
    sampled = [
        Sampled(swap_bytes=size * MIB, swapped_pages=pages, heat_count=heat, heat_s=heat / 2)
        for size, pages, heat in ((0, 10, 1), (256, 70_000, 12), (2, 300, 2))
    ]
    pair = of(sampled=sampled)
    assert said(list(swap(pair))).startswith(
        f"spin on host: 256 MiB at worst (in {WORST}; 2 MiB in the median) of the job was in "
        f"swap and the machine moved 70000 pages at worst (in {WORST}; 300 pages in the median)"
    )
    assert said(list(throttled(pair))).startswith(
        f"Heat held a processor back 12 times at worst (in {WORST}; 2 times in the median), 6 s "
        f"at worst (in {WORST}; 1 s in the median) in all"
    )


def test_a_quota() -> None:
    usages = [replace(QUIET, throttled_s=stood_s) for stood_s in (2.0, 60.0, 5.0)]
    assert f"stood still for 5 s in the median (60 s at worst, in {WORST}) of 100 s" in said(
        list(throttled(of(usages)))
    )


def test_a_flat_rate_is_the_median_of_the_trials_and_not_the_first() -> None:
    sampled = [Sampled(rate) for rate in (100.9e6, 50e6, 100e6)]
    reported = said(list(flat_write_rate(of(sampled=sampled))))
    assert f"wrote at 100 MB/s in the median (50 MB/s at worst, in {WORST}), constant" in reported
    assert "(3 of 3 trials) and close to 100 MB/s, 50 MB/s" in reported


def test_reads_that_memory_served() -> None:
    usages = [replace(QUIET, logical_read_bytes=1000 * MIB, read_bytes=size * MIB) for size in (15, 0, 10)]
    cold = replace(WORKLOAD, parser="usage", cache=CacheSpec(CacheState.COLD))
    reported = said(list(cached_reads(of(usages, workload=cold))))
    assert f"storage delivered 10 MiB in the median (0 B at worst, in {WORST}) of it" in reported


@pytest.mark.parametrize("figure", [None, 5.0])
def test_one_trial_is_told_without_a_median(figure: float | None) -> None:
    usage = replace(QUIET, wall_s=0.5, throttled_s=figure)
    assert "in the median" not in said(list(short_wall(of([usage] * 3), 0.1)))
