"""What must not matter to an estimate, and what must turn it round exactly."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from assay.model.figures.estimate import Verdict
from assay.model.metric import Direction
from assay.stats import log_slowdown, loss_of, paired_loss
from assay.stats.fieller import ratio_of_totals
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann
from assay.stats.replication.components import Floor, components
from assay.stats.replication.fleet import fleet_loss
from assay.stats.verdicts.sequence import confidence_sequence

COUNTS = (2, 5, 6, 13, 40)


def blocks(count: int, *, mean: float = 0.03, spread: float = 0.02) -> list[float]:
    draw = random.Random(count)
    return [draw.gauss(mean, spread) for _ in range(count)]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("floor", [0.0, 0.003])
def test_the_order_of_blocks_changes_no_bit_of_an_estimate(count: int, floor: float) -> None:
    d = blocks(count)
    wanted = paired_loss(d, margin=0.01, floor=floor)
    for seed in range(5):
        shuffled = random.Random(seed).sample(d, count)
        assert paired_loss(shuffled, margin=0.01, floor=floor) == wanted


def test_the_order_of_blocks_and_machines_changes_no_bit_of_the_rest() -> None:
    d = blocks(12)
    back, sessions = d[::-1], [block // 3 for block in range(12)]
    assert components(back, sessions[::-1]) == components(d, sessions)
    assert ratio_of_totals(back, d) == ratio_of_totals(d, back)
    machines = {"a": d[:4], "b": d[4:8], "c": d[8:]}
    assert fleet_loss(dict(reversed(machines.items()))) == fleet_loss(machines)


@pytest.mark.parametrize("count", COUNTS)
def test_swapping_the_arms_turns_every_interval_round_exactly(count: int) -> None:
    d = blocks(count)
    turned = [-value for value in d]
    for interval in (hodges_lehmann, student):
        one, other = interval(d), interval(turned)
        assert (other.value, other.low, other.high) == (-one.value, -one.high, -one.low)
    low, high = confidence_sequence(d)
    assert confidence_sequence(turned) == (-high, -low)


def test_swapping_the_arms_makes_a_gain_of_a_loss() -> None:
    d = blocks(20)
    one, other = paired_loss(d), paired_loss([-value for value in d])
    assert (one.verdict, other.verdict) == (Verdict.LOSS, Verdict.GAIN)
    assert other.slowdown == pytest.approx(1 / one.slowdown, rel=1e-15)


@pytest.mark.parametrize("unit", [1024.0, 1e-3, 3600.0])
@pytest.mark.parametrize("direction", list(Direction))
def test_the_unit_of_a_metric_does_not_matter(unit: float, direction: Direction) -> None:
    draw = random.Random(1)
    pairs = [(draw.uniform(90, 110), draw.uniform(95, 115)) for _ in range(9)]
    one = paired_loss([log_slowdown([a], b, direction) for a, b in pairs])
    other = paired_loss([log_slowdown([unit * a], unit * b, direction) for a, b in pairs])
    for name in ("loss", "low", "high", "slowdown"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-11, abs=1e-14)


def test_a_time_and_its_rate_have_the_same_loss() -> None:
    as_time = log_slowdown([4841.6], 5243.7, Direction.LOWER)
    as_rate = log_slowdown([1000 / 4841.6], 1000 / 5243.7, Direction.HIGHER)
    assert as_rate == pytest.approx(as_time, rel=1e-13)


def test_equivalence_is_that_both_one_sided_tests_refuse_the_margin() -> None:
    draw, margin, found = random.Random(3), 0.02, []
    ends = -math.log1p(margin), -math.log1p(-margin)
    for _ in range(60):
        d = [draw.gauss(0.0, 0.01) for _ in range(5)]
        above = stats.ttest_1samp(d, ends[0], alternative="greater").pvalue <= 0.025
        below = stats.ttest_1samp(d, ends[1], alternative="less").pvalue <= 0.025
        differs = stats.ttest_1samp(d, 0.0).pvalue < 0.05
        found.append(paired_loss(d, margin=margin).verdict is Verdict.EQUIVALENT)
        assert found[-1] == (above and below and not differs)
    assert 0 < sum(found) < len(found)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_block_that_is_no_number_is_refused_and_not_left_out(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        paired_loss([0.1, bad, 0.2])


def test_totals_of_one_arm_alone_are_refused() -> None:
    with pytest.raises(ValueError, match="both sides"):
        ratio_of_totals([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="both sides"):
        ratio_of_totals([], [])


def test_the_floor_is_students_by_its_freedom_and_enters_in_quadrature() -> None:
    half = 3.182446305284263 * math.sqrt(2) * 0.001 / math.sqrt(4)
    assert Floor(0.001, 3).half(4) == pytest.approx(half, rel=1e-12)
    assert Floor(0.001, 3).half(1) == pytest.approx(2 * half, rel=1e-12)
    assert Floor(0.001).half(4) == pytest.approx(1.959963984540054 * math.sqrt(2) * 0.001 / 2, rel=1e-12)
    d = blocks(20)
    plain, wide = hodges_lehmann(d), paired_loss(d, floor=half)
    assert wide.low == pytest.approx(loss_of(plain.value - math.hypot(plain.value - plain.low, half)))
    assert wide.high == pytest.approx(loss_of(plain.value + math.hypot(plain.high - plain.value, half)))
    assert wide.loss == loss_of(plain.value)
