"""What clocks, steal, parallelism and budgets are judged by: a row just below each threshold, at it and above
it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.model.doubt import Doubt
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, Trial, Usage
from assay.model.work.accounting import METRICS as ACCOUNTING
from assay.model.work.placement import PlacementSpec
from assay.report.doubts import worded
from assay.report.tables.budget_notes import note_sentences
from assay.results.budgets.budget_notes import notes_of
from assay.results.budgets.spent import spent_by, times_of, whole_blocks
from assay.results.losses.figures import Timing, judge_clock, on_host_clock, steal_doubt, usage_on_host_clock
from assay.results.losses.parallelism import parallelism_of, threads_of
from assay.results.losses.work import rates_of, work_of
from tests.builders import RATE, WORKLOAD, clock_check, record_of

HERE, THERE = (PlannedTrial(at, 0, at, arm, 0, "spin") for at, arm in enumerate(Arm))
JOB = Usage(10.0, 4.0, 1.0, 1 << 20, 0, 0, run_queue_s=0.0, block_io_s=0.0)
NOWHERE = Path("/nonexistent")


@pytest.mark.parametrize(
    ("rate", "known", "offset_s", "expected", "code"),
    [
        (1.0, 1e-4, 0.3, 1.0, None),  # a duration needs the rate alone
        (1.0001, 2e-4, 0.001, 1.0, None),  # as right as is known
        (1.0003, 2e-4, 0.001, 1.0003, "clock-corrected"),
        (0.9997, 2e-4, 0.001, 0.9997, "clock-corrected"),
        (1.0095, 4e-4, 0.001, 1.0095, "clock-corrected"),
        (1.0095, 6e-4, 0.001, None, "clock-rate-unknown"),
        (1.0, 0.0101, 0.001, None, "clock-rate-unknown"),
        (1.0101, 1e-5, 0.001, None, "clock-rate"),
        (0.9899, 1e-5, 0.001, None, "clock-rate"),
    ],
)
def test_a_clock_is_trusted_corrected_or_barred(
    rate: float, known: float, offset_s: float, expected: float | None, code: str | None
) -> None:
    timing = judge_clock(clock_check(rate, uncertainty_s=offset_s, rate_uncertainty=known))
    assert timing.rate == expected
    assert [doubt.code for doubt in timing.doubts] == ([] if code is None else [code])


def test_what_is_said_of_a_clock_is_said_word_for_word() -> None:
    def said(**check: float) -> Doubt:
        (doubt,) = judge_clock(clock_check(**check)).doubts
        return worded(doubt)

    assert said(rate=1.002) == Doubt(
        "clock-corrected",
        "The clock ran +0.200% (known to 0.010%) off the host's: figures timed by it are corrected by that.",
    )
    assert said(rate=0.95) == Doubt(
        "clock-rate",
        "The clock ran -5.00% off the host's, known to 0.01%: figures timed by it are not used.",
    )
    assert said(rate=1.005, rate_uncertainty=0.006) == Doubt(
        "clock-rate-unknown",
        "The clock may run off by more than 1 % (+0.50% off the host's, known to 0.60%): figures "
        "timed by it are not used.",
    )
    assert judge_clock(None) == Timing(1.0)


def test_times_and_rates_are_brought_to_the_hosts_clock_and_counts_are_not() -> None:
    time, count = Metric("t", "s", Direction.LOWER), Metric("n", "", Direction.HIGHER, timed=False)
    found = tuple(Measurement(metric, 10.0) for metric in (RATE, time, count))
    reported = on_host_clock((*found, Measurement(RATE, None)), Timing(1.25))
    assert [m.value for m in reported] == [12.5, 8.0, 10.0, None]
    assert [m.value for m in on_host_clock(found, Timing(None))] == [None, None, 10.0]
    assert [m.metric for m in reported] == [RATE, time, count, RATE]


def test_totals_are_brought_to_the_hosts_clock() -> None:
    trial = record_of(HERE, 1.0, usage=JOB, clock=clock_check(1.005))
    usage = usage_on_host_clock(trial)
    assert usage is not None
    assert (usage.wall_s, usage.user_s, usage.system_s) == (10.0 / 1.005, 4.0 / 1.005, 1.0 / 1.005)
    assert usage_on_host_clock(replace(trial, clock=clock_check(1.5))) is None
    assert usage_on_host_clock(replace(trial, usage=None)) is None


@pytest.mark.parametrize(
    ("steal_s", "wall_s", "cpus", "reported"),
    [
        (0.2, 10.0, 2, None),  # one percent
        (0.22, 10.0, 2, "1.1%"),
        (0.5, 10.0, 1, "5.0%"),
        (None, 10.0, 1, None),
        (1.0, 0.0, 1, None),
    ],
)
def test_steal_is_doubted_above_one_percent(
    steal_s: float | None, wall_s: float, cpus: int, reported: str | None
) -> None:
    sentence = f"{reported} of the processors' time was stolen from this machine by its own hypervisor."
    assert tuple(map(worded, steal_doubt(steal_s, wall_s, cpus))) == (
        () if reported is None else (Doubt("steal", sentence),)
    )


def _ran(cpu_s: float, cpus: tuple[int, ...] = (0, 1, 2, 3), **changes: Any) -> Trial:
    return record_of(
        HERE, 1.0, usage=replace(JOB, user_s=cpu_s, system_s=0.0), limits=Limits(cpus), **changes
    )


@pytest.mark.parametrize(
    ("copies", "threads", "trials", "parallelism"),
    [
        (1, None, [_ran(10.5)], 1),  # hardly more than one processor
        (1, None, [_ran(10.6)], 2),
        (1, None, [_ran(5.0), _ran(30.0)], 3),
        (1, None, [_ran(30.0), _ran(30.0, (0, 1))], 2),
        (1, None, [_ran(0.0)], 1),
        (1, None, [], 1),
        (3, None, [_ran(5.0)], 3),
        (3, 2, [_ran(5.0)], 4),
        (1, 2, [_ran(39.0)], 2),
        (1, 1, [_ran(39.0)], 1),
        (3, 1, [_ran(5.0, ())], 2),  # the machine has two
    ],
)
def test_lanes_are_copies_times_threads_on_the_processors_of_the_smaller_arm(
    copies: int, threads: int | None, trials: list[Trial], parallelism: int
) -> None:
    workload = replace(WORKLOAD, placement=PlacementSpec(copies=copies, threads=threads))
    assert parallelism_of(workload, trials) == parallelism
    assert threads_of(workload) == copies * (threads or 1)


def test_a_trial_that_did_not_run_keeps_one_processor_busy() -> None:
    for usage in (None, replace(JOB, wall_s=0.0)):
        assert parallelism_of(WORKLOAD, [replace(_ran(39.0), usage=usage)]) == 1


def test_work_is_rate_times_wall_time_and_of_several_rates_the_geometric_mean() -> None:
    other = replace(RATE, name="other")
    trial = replace(record_of(HERE, 4.0), measurements=(Measurement(RATE, 4.0), Measurement(other, 9.0)))
    assert work_of(trial, [RATE], wall_s=10.0) == pytest.approx(40.0)
    assert work_of(trial, [RATE, other], wall_s=10.0) == pytest.approx(60.0)
    assert work_of(trial, [], wall_s=10.0) == 1.0
    assert work_of(trial, [RATE, replace(RATE, name="third")], wall_s=10.0) is None
    assert work_of(record_of(HERE, 0.0), [RATE], wall_s=10.0) is None
    assert work_of(record_of(HERE, None), [RATE], wall_s=10.0) is None


def test_only_workloads_of_a_given_duration_have_rates() -> None:
    untimed = replace(RATE, name="sent", timed=False)
    count = Metric("count", "", Direction.HIGHER, timed=False)
    latency = Metric("latency", "ms", Direction.LOWER)
    timed = Metric("score", "points", Direction.HIGHER)
    metrics = (RATE, untimed, count, latency, timed)
    assert rates_of(replace(WORKLOAD, metrics=metrics)) == (RATE, untimed, timed)
    assert rates_of(replace(WORKLOAD, metrics=(*metrics, *ACCOUNTING))) == (RATE, untimed, timed)
    assert rates_of(replace(WORKLOAD, metrics=metrics, parser="usage")) == ()


def _notes(**usage: Any) -> list[str]:
    trials = [record_of(planned, 1.0, usage=replace(JOB, **usage)) for planned in (HERE, THERE)]
    return list(note_sentences(notes_of(spent_by(trials, NOWHERE, rates=(), parallelism=1, threads=1))))


@pytest.mark.parametrize(("queue_s", "reported"), [(5.2, False), (5.21, True)])
def test_a_budget_is_overdrawn_by_more_than_two_percent_of_the_wall_time(
    queue_s: float, reported: bool
) -> None:
    found = _notes(run_queue_s=queue_s)
    assert bool(found) is reported
    if reported:
        assert found == [
            (
                "CPU time and waits are more than wall time × parallelism in 2 of 2 trials (by "
                "2.1% in 0000-b0-baseline-spin): waits overlap there, and idle time is below zero."
            )
        ]


@pytest.mark.parametrize(
    ("usage", "notes"),
    [
        ({}, []),
        (
            {"block_io_s": None},
            ["Nothing told of I/O wait in some trials: it is in their idle time."],
        ),
        (
            {"block_io_s": None, "io_wait_s": 1.0},
            ["I/O wait is that of the job's processors, in ticks of the kernel: the job's own was not told."],
        ),
        (
            {"run_queue_s": None},
            ["Nothing told of waits for a processor in some trials: they are in their idle time."],
        ),
        (
            {"run_queue_s": None, "steal_s": 1.0, "io_wait_s": 0.0},
            ["Waits for a processor hold steal alone; those in the run queue are in the idle time."],
        ),
    ],
)
def test_a_budget_says_who_told_of_waits(usage: dict[str, Any], notes: list[str]) -> None:
    assert _notes(**usage) == notes


def test_times_are_scaled_to_the_work_that_the_baseline_did_on_average() -> None:
    """Rates of 10 and 30 on the baseline and of 5 on the treatment, all for 10 s: works of 100,
    300 and 50.
    """
    planned = [
        PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"), PlannedTrial(1, 0, 1, Arm.BASELINE, 1, "spin"),
        PlannedTrial(2, 0, 2, Arm.TREATMENT, 0, "spin"), PlannedTrial(3, 1, 0, Arm.BASELINE, 0, "spin"),
        PlannedTrial(4, 1, 1, Arm.TREATMENT, 0, "spin"),
    ]  # fmt: skip
    rates = (10.0, 30.0, 5.0, 20.0, 0.0)
    trials = [record_of(p, rate, usage=JOB) for p, rate in zip(planned, rates, strict=True)]
    spent = spent_by(trials, NOWHERE, rates=(RATE,), parallelism=1, threads=1)
    assert [one.scale for one in spent] == pytest.approx([2.0, 200 / 300, 4.0, 1.0])
    assert [sum(one.times.values()) for one in spent] == pytest.approx([20.0, 20 / 3, 40.0, 10.0])
    blocks = whole_blocks(spent[::-1])
    assert list(blocks) == [0]  # the other block's treatment did no work
    assert [one.trial.planned.index for one in blocks[0][0]] == [0, 1]
    base, treated = times_of(blocks[0])
    assert sum(base.values()) == pytest.approx((20 + 20 / 3) / 2)
    assert sum(treated.values()) == pytest.approx(40.0)
