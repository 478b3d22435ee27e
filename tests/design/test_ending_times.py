"""What blocks and the pauses between them take, and what of it counts against a time budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.design import ending_of, plan_trials
from assay.design.blocks import sessions_of, spans_of
from assay.design.ending import block_s, metered_of, spent_s
from assay.model.activity import ActivityPlan
from assay.model.extension import Ending
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, Trial
from tests.builders import WORKLOAD, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=8, seed=3, shape=Shape.PAIRS)
GAP_S = 1000.0


def plan(**goal: object) -> ActivityPlan:
    wanted = Goal(adaptive=True, precision=1e-9, minimum_blocks=10, session_gap_s=GAP_S)
    return plan_of(TRIALS, goal=replace(wanted, **goal))  # type: ignore[arg-type]


def timed(spans: Sequence[tuple[float, float]]) -> list[Trial]:
    """Return both trials of each block: one begins it, the other ends it."""
    found = []
    for planned in TRIALS:
        if planned.block < len(spans):
            begun, ended = spans[planned.block]
            times = (begun, begun + 1) if planned.slot == 0 else (ended - 1, ended)
            value = 50.0 if planned.arm is Arm.TREATMENT else 100.0 + planned.block % 3
            nanoseconds = [round(moment * 1e9) for moment in times]
            found.append(record_of(planned, value, started_ns=nanoseconds[0], ended_ns=nanoseconds[1]))
    return found


@pytest.mark.parametrize(("pause", "session"), [(999.0, 0), (1000.0, 1), (1001.0, 1)])
def test_a_session_begins_after_the_very_gap(pause: float, session: int) -> None:
    records = timed([(0, 10), (10 + pause, 20 + pause), (21 + pause, 31 + pause)])
    assert sessions_of(records, gap_s=GAP_S) == {0: 0, 1: session, 2: session}


def test_sessions_are_counted_up() -> None:
    records = timed([(0, 10), (2000, 2010), (4000, 4010), (4020, 4030), (6000, 6010)])
    assert sessions_of(records, gap_s=GAP_S) == {0: 0, 1: 1, 2: 2, 3: 2, 4: 3}
    assert spans_of(records[::-1])[3] == (4020.0, 4030.0)


def test_the_time_between_sessions_is_not_spent() -> None:
    within = timed([(0, 10), (15, 25)])
    assert spent_s(within, gap_s=GAP_S) == 10 + 5 + 10
    apart = timed([(0, 10), (15, 25), (5000, 5020), (5030, 5040)])
    assert spent_s(apart, gap_s=GAP_S) == 25 + 20 + 10 + 10
    assert spent_s(apart[:2], gap_s=GAP_S) == 10
    assert spent_s([], gap_s=GAP_S) == 0


def test_a_block_takes_the_mean_of_the_whole_ones_and_of_the_pauses_within_sessions() -> None:
    assert block_s(plan(), []) == 0.0
    assert block_s(plan(), timed([(0, 10)])) == 10
    assert block_s(plan(), timed([(0, 10), (14, 34)])) == 15 + 4
    assert block_s(plan(), timed([(0, 10), (14, 34), (5000, 5030)])) == 20 + 4
    assert block_s(plan(), timed([(0, 10), (14, 34), (34, 64)])) == 20 + 2
    # the third block has begun and is not whole: its time does not count, the pause before it does
    assert block_s(plan(), timed([(0, 10), (14, 34), (40, 41)])[:-1]) == 15 + 5


@pytest.mark.parametrize(("pause", "mean"), [(998.0, 501.0), (999.9, 501.95), (1000.0, 4.0), (2000.0, 4.0)])
def test_a_pause_is_one_below_the_gap_of_sessions(pause: float, mean: float) -> None:
    records = timed([(0, 10), (14, 24), (24 + pause, 34 + pause)])
    assert block_s(plan(), records) == pytest.approx(10 + mean)


def test_a_clock_that_was_set_back_makes_no_pause() -> None:
    assert block_s(plan(), timed([(100, 110), (90, 100), (104, 114)])) == 10 + 4


@pytest.mark.parametrize(("budget", "ending"), [(38.0, None), (37.999, Ending.BUDGET), (None, None)])
def test_the_next_block_may_end_with_the_very_budget(budget: float | None, ending: Ending | None) -> None:
    records = timed([(0, 10), (14, 24)])  # 24 s are spent, and a block takes 10 s and a pause of 4 s
    assert ending_of(plan(time_budget_s=budget), records) is ending


def test_a_night_between_sessions_leaves_the_budget_as_it_was() -> None:
    records = timed([(0, 10), (14, 24), (40_000, 40_010), (40_014, 40_024)])
    assert ending_of(plan(time_budget_s=62.0), records) is None
    assert ending_of(plan(time_budget_s=61.9), records) is Ending.BUDGET


def test_nothing_ends_without_records_or_without_a_goal() -> None:
    assert ending_of(plan(time_budget_s=0.0), []) is None
    assert ending_of(plan(time_budget_s=0.0, adaptive=False), timed([(0, 10)])) is None
    assert ending_of(plan(time_budget_s=0.0), timed([(0, 10)])) is Ending.BUDGET


def test_what_was_metered_tells_its_metric_its_sessions_and_its_floor() -> None:
    records = timed([(0, 10), (14, 24), (5000, 5010)])
    known = MetricFloor("spin", "spin", "events", 4, 40, 0.003, 0.01)
    with_floor = replace(plan(), floor=SiteFloor("node", 0, 1, 0, (known,)))
    ((workload, metric, metered),) = metered_of(with_floor, records)
    assert (workload, metric, metered.sessions, metered.labels) == ("spin", "events", 2, (0, 0, 1))
    # three of a tenth of 0.01 and three of 0.003, squared, over the 6 degrees of freedom of 4 sessions
    assert (metered.sigma, metered.freedom) == (pytest.approx(math.sqrt((3e-6 + 27e-6) / 6)), 6)
    assert metered.slowdowns == pytest.approx([0.6931472, 0.7030975, 0.7129498], abs=1e-7)  # ln 2, 2.02, 2.04
    ((_, _, without),) = metered_of(plan(), records)
    assert (without.sigma, without.freedom, without.labels) == (None, math.inf, (0, 0, 1))
    short = replace(with_floor, floor=SiteFloor("node", 0, 1, 0, (replace(known, sessions=1, session=None),)))
    ((_, _, unknown),) = metered_of(short, records)
    assert unknown == without


def test_a_time_and_a_rate_are_metered_by_their_direction() -> None:
    wall = Metric("wall", "s", Direction.LOWER)
    records = [
        replace(one, measurements=(Measurement(wall, one.measurements[0].value),))
        for one in timed([(0, 10), (14, 24)])
    ]
    timing = replace(plan(), workloads=(replace(WORKLOAD, metrics=(wall,)),))
    ((_, name, metered),) = metered_of(timing, records)
    assert name == "wall"
    assert metered.slowdowns == pytest.approx([-0.6931472, -0.7030975], abs=1e-7)


def test_metrics_of_several_treatments_name_theirs() -> None:
    trials = plan_trials(("spin",), blocks=2, seed=3, visits=(1, 1))
    base = plan_of(trials)
    sweep = replace(
        base,
        treatment=replace(base.treatment, label="one"),
        more=(replace(base.treatment, label="two"),),
    )
    records = [
        record_of(trial, 100.0 / (1 + trial.level) if trial.arm is Arm.TREATMENT else 100.0)
        for trial in trials
    ]
    found = {metric: list(metered.slowdowns) for _, metric, metered in metered_of(sweep, records)}
    assert found == {"events, one": [0.0, 0.0], "events, two": pytest.approx([0.6931472] * 2)}


def test_of_a_block_that_was_not_measured_nothing_is_metered() -> None:
    records = [record for record in timed([(0, 10), (14, 24)]) if record.planned.block == 1]
    ((_, _, metered),) = metered_of(plan(), records)
    assert (len(metered.slowdowns), metered.sessions) == (1, 1)
    one_arm = [record for record in timed([(0, 10)]) if record.planned.arm is Arm.BASELINE]
    assert list(metered_of(plan(), one_arm)) == []
