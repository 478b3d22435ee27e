"""Blocks of a metric, shapes and orders, against figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.design.blocks import Block, PartOf, blocks_of, metrics_of, middle, slowdowns
from assay.design.shape import MOST_RUNS, USUAL_RATIO, SwitchCost, choose_shape, runs_per_boot
from assay.model.goal import Shape
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm
from tests.builders import RATE, WORKLOAD, plan_of, record_of

PAIRS = plan_trials(("spin",), blocks=3, seed=1, shape=Shape.PAIRS)


@pytest.mark.parametrize(
    ("values", "centre"),
    [([], None), ([0.0], 0.0), ([7.0], 7.0), ([2.0, 8.0], 4.0), ([1.0, 2.0, 4.0], 2.0), ([2.0, 0.0], 0.0)],
)
def test_the_middle_is_the_geometric_mean(values: list[float], centre: float | None) -> None:
    assert middle(values) == (None if centre is None else pytest.approx(centre))


@pytest.mark.parametrize(
    ("baseline", "treatment", "whole"),
    [
        ((1.0,), 2.0, True),
        ((), 2.0, False),
        ((1.0, 0.0), 2.0, False),
        ((1.0,), 0.0, False),
        ((1.0,), None, False),
    ],
)
def test_a_block_is_whole_with_values_above_zero_on_both_arms(
    baseline: tuple[float, ...], treatment: float | None, *, whole: bool
) -> None:
    block = Block(0, baseline, treatment)
    assert block.whole is whole
    assert len(slowdowns([block], Direction.LOWER)) == whole


def test_blocks_hold_the_values_of_their_workload_in_the_order_of_the_plan() -> None:
    trials = plan_trials(("spin", "other"), blocks=2, seed=4)
    records = [record_of(t, 1.0 + t.index) for t in trials if t.block == 0]
    first, second = blocks_of(replace(plan_of(trials), blocks=2), records[::-1], WORKLOAD, RATE)
    ours = [t for t in trials if t.block == 0 and t.workload == "spin"]
    assert first.baseline == tuple(1.0 + t.index for t in ours if t.arm is Arm.BASELINE)
    assert [first.treatment] == [1.0 + t.index for t in ours if t.arm is Arm.TREATMENT]
    assert second == Block(1, (), None, 0)


def test_what_was_not_measured_is_no_value() -> None:
    records = [record_of(t, None if t.arm is Arm.BASELINE else 5.0) for t in PAIRS if t.block == 0]
    first, *_ = blocks_of(plan_of(PAIRS), records, WORKLOAD, RATE)
    assert (first.baseline, first.treatment) == ((), 5.0)
    none = blocks_of(plan_of(PAIRS), records, WORKLOAD, replace(RATE, name="unknown"))
    assert [(block.baseline, block.treatment) for block in none] == [((), None)] * 3


def test_metrics_are_those_promised_and_those_told_once_each() -> None:
    init = Metric("init", "s", Direction.LOWER)
    records = [
        replace(record_of(t, 1.0), measurements=(Measurement(init, 2.0), Measurement(RATE, 1.0)))
        for t in PAIRS
    ]
    assert metrics_of(records, WORKLOAD) == (RATE, init)
    assert metrics_of([], WORKLOAD) == (RATE,)
    assert metrics_of(records, replace(WORKLOAD, name="other", metrics=())) == ()


def test_a_part_of_the_records_knows_the_whole() -> None:
    records = [record_of(t, 1.0) for t in PAIRS]
    part = PartOf(records[:2], records)
    assert (tuple(part), part.whole) == (tuple(records[:2]), tuple(records))


def test_a_chain_turns_in_every_block() -> None:
    firsts = set()
    for seed in range(8):
        trials = plan_trials(("a",), blocks=6, seed=seed, shape=Shape.CHAINED)
        arms = [t.arm for t in trials if t.slot == 0]
        assert arms == [arms[0], arms[1]] * 3
        assert arms[0] is not arms[1]
        firsts.add(arms[0])
    assert firsts == set(Arm)


@pytest.mark.parametrize(("blocks", "trials"), [(1, 2), (3, 6), (4, 8), (5, 10), (8, 16), (9, 18)])
def test_pairs_are_as_many_as_asked_for(blocks: int, trials: int) -> None:
    assert len(plan_trials(("a",), blocks=blocks, seed=2, shape=Shape.PAIRS)) == trials


def test_runs_of_a_visit_are_numbered_on_over_the_visits_of_a_block() -> None:
    trials = plan_trials(("a",), blocks=1, seed=3, runs=2)
    assert [t.replicate for t in trials if t.arm is Arm.BASELINE] == [0, 1, 2, 3]
    assert [t.replicate for t in trials if t.arm is Arm.TREATMENT] == [0, 1]


@pytest.mark.parametrize(
    ("run_s", "switch_s", "shape"),
    [(100.0, 99.9, Shape.PAIRS), (100.0, 100.0, Shape.CHAINED), (100.0, 100.1, Shape.CHAINED)],
)
def test_chained_from_a_switch_of_one_run_on(run_s: float, switch_s: float, shape: Shape) -> None:
    assert choose_shape(SwitchCost(run_s, switch_s)) == (shape, 1)


@pytest.mark.parametrize(
    ("run_s", "switch_s", "ratio", "runs"),
    [
        (1.0, 9.0, 1.0, 3),
        (4.0, 25.0, 2.0, 5),
        (1.0, 0.2, 1.0, 1),
        (1.0, 400.0, 1.0, 20),
        (1.0, 10_000.0, 1.0, 20),
        (0.0, 5.0, 1.0, 1),
        (-1.0, 5.0, 1.0, 1),
        (0.5, 12.5, 1.0, 5),
    ],
)
def test_the_runs_of_a_boot_are_the_root_of_the_costs_times_the_scatter(
    run_s: float, switch_s: float, ratio: float, runs: int
) -> None:
    assert MOST_RUNS == 20
    assert pytest.approx(7 / 3) == USUAL_RATIO
    assert runs_per_boot(SwitchCost(run_s, switch_s, ratio=ratio)) == runs
    assert choose_shape(SwitchCost(run_s, switch_s, ratio=ratio))[1] in (1, runs // 2)


def test_half_the_runs_of_a_boot_are_in_each_of_its_two_chained_blocks() -> None:
    assert choose_shape(SwitchCost(1.0, 25.0, ratio=1.0)) == (Shape.CHAINED, 2)
    assert choose_shape(SwitchCost(1.0, 36.0, ratio=1.0)) == (Shape.CHAINED, 3)
