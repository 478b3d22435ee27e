"""Verdicts, margins and doubts just below, at and just above the values where they change."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.model.estimate import Estimate, Verdict
from assay.stats import paired_loss
from assay.stats.centre import Centre
from assay.stats.paired import LARGEST, _tails, loss_of, middle_of
from assay.stats.sequence import reach
from assay.stats.verdict import MOST_BLOCKS_MORE, Look, blocks_more, verdict_of, within_margin

TINY = 1e-9


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (TINY, 0.01, Verdict.LOSS),
        (0.0, 0.01, Verdict.EQUIVALENT),
        (0.0, 0.05, Verdict.INCONCLUSIVE),
        (-TINY, 0.05, Verdict.INCONCLUSIVE),
        (-0.01, -TINY, Verdict.GAIN),
        (-0.01, 0.0, Verdict.EQUIVALENT),
        (-0.05, 0.0, Verdict.INCONCLUSIVE),
        (-0.05, TINY, Verdict.INCONCLUSIVE),
        (-0.02, 0.01, Verdict.EQUIVALENT),
        (-0.02 - TINY, 0.01, Verdict.INCONCLUSIVE),
        (-0.01, 0.02, Verdict.EQUIVALENT),
        (-0.01, 0.02 + TINY, Verdict.INCONCLUSIVE),
        (0.03, 0.05, Verdict.LOSS),
        (-0.05, -0.03, Verdict.GAIN),
    ],
)
def test_a_verdict_at_its_limits(low: float, high: float, verdict: Verdict) -> None:
    assert verdict_of(low, high, 0.02) is verdict


def test_an_interval_of_no_width_at_zero_is_equivalent_without_a_margin() -> None:
    assert verdict_of(0.0, 0.0, 0.0) is Verdict.EQUIVALENT


def estimate(verdict: Verdict, low: float | None, high: float | None) -> Estimate:
    return Estimate(8, 0.01, low, high, 0.95, 1.01, verdict, None, "a method")


@pytest.mark.parametrize(
    ("verdict", "low", "high", "within"),
    [
        (Verdict.LOSS, 0.01, 0.02, True),
        (Verdict.LOSS, 0.01, 0.02 + TINY, False),
        (Verdict.GAIN, -0.02, -0.01, True),
        (Verdict.GAIN, -0.02 - TINY, -0.01, False),
        (Verdict.EQUIVALENT, -0.01, 0.01, False),
        (Verdict.INCONCLUSIVE, -0.01, 0.01, False),
        (Verdict.LOSS, None, 0.01, False),
        (Verdict.LOSS, 0.01, None, False),
        (Verdict.LOSS, None, None, False),
    ],
)
def test_a_loss_that_does_not_matter_lies_within_the_margin_at_both_ends(
    verdict: Verdict, low: float | None, high: float | None, *, within: bool
) -> None:
    assert within_margin(estimate(verdict, low, high), 0.02) is within


def test_a_floor_widens_a_look_in_quadrature() -> None:
    look = Look.of([0.01, 0.03], 0.017, 0.026, floor=0.004)
    assert look.mean == pytest.approx(0.02)
    assert look.low == pytest.approx(0.02 - 0.005)  # 3, 4, 5
    assert look.high == pytest.approx(0.02 + math.sqrt(0.006**2 + 0.004**2))
    assert (look.blocks, look.floor) == (2, 0.004)
    assert look.spread == pytest.approx(0.01 * math.sqrt(2))
    plain = Look.of([0.01, 0.03], 0.017, 0.026, floor=0.0)
    assert (plain.low, plain.high) == (0.017, 0.026)


def test_a_verdict_is_of_the_interval_with_the_floor_in_it() -> None:
    logs = [0.019, 0.021, 0.020, 0.0195, 0.0205, 0.0198, 0.0202, 0.020]
    assert paired_loss(logs).verdict is Verdict.LOSS
    assert paired_loss(logs, floor=0.0199).verdict is Verdict.LOSS
    assert paired_loss(logs, floor=0.0201).verdict is Verdict.INCONCLUSIVE


def test_the_further_blocks_count_the_floor_in_quadrature() -> None:
    look = Look(-0.005, 0.025, 8, mean=0.010, spread=0.02, floor=0.006)
    more = blocks_more(look, 0.95, margin=0.0)
    assert more is not None
    # hypot(half, 0.006) falls below the mean of 0.010 where the half-width falls below 0.008
    halves = [reach(8 + n, 0.95) * 0.02 / math.sqrt(8 + n) for n in (more - 1, more)]
    assert halves[1] < 0.008 <= halves[0]


@pytest.mark.parametrize(("beyond", "told"), [(-1e-6, True), (1e-6, False)])
def test_more_blocks_than_anybody_runs_are_not_told(beyond: float, *, told: bool) -> None:
    most = 8 + MOST_BLOCKS_MORE
    assert most == 10_008
    spread = 0.001 * math.sqrt(most) / reach(most, 0.95) * (1 + beyond)
    more = blocks_more(Look(-0.1, 0.1, 8, 0.001, spread, 0.0), 0.95, margin=0.0)
    assert more == (MOST_BLOCKS_MORE if told else None)


def test_equivalence_is_among_the_verdicts_that_further_blocks_may_bring() -> None:
    look = Look(-0.05, 0.05, 8, mean=0.0, spread=0.02, floor=0.0)
    more = blocks_more(look, 0.95, margin=0.01)
    assert more is not None
    half = -math.log1p(-0.01), math.log1p(0.01)
    wide = [reach(8 + n, 0.95) * 0.02 / math.sqrt(8 + n) for n in (more - 1, more)]
    assert wide[1] <= min(half) < wide[0]
    assert blocks_more(look, 0.95, margin=0.0) is None


@pytest.mark.parametrize(
    ("apart", "arm"),
    [(0.125, None), (0.126, "treatment"), (-0.125, None), (-0.126, "baseline"), (0.2, "treatment")],
)
def test_the_tail_is_doubted_beyond_half_a_half_width(apart: float, arm: str | None) -> None:
    headline, mean = Centre(0.5, 0.25, 0.75, "typical"), Centre(0.5 + apart, -1.0, 2.0, "mean")
    found = _tails(headline, mean)
    assert [doubt.code for doubt in found] == (["tail-loss"] if arm else [])
    assert all(f"the {arm} has the slower outliers" in doubt.sentence for doubt in found)
    assert _tails(replace(headline, high=math.inf), mean) == []


def test_the_doubt_of_a_tail_in_full() -> None:
    (doubt,) = _tails(Centre(0.1, 0.09, 0.11, "typical"), Centre(0.2, 0.1, 0.3, "mean"))
    # losses 1 - exp(-0.2) and 1 - exp(-0.1); their half-width of 0.905 points leaves two decimals
    assert doubt.sentence == (
        "Tail loss: the mean loss (18.13 %) and the typical loss (9.52 %) part by more than half the "
        "interval's half-width: the treatment has the slower outliers."
    )
    assert doubt.next == "Look at the slowest trials one by one: what else ran then?"


def test_the_doubt_of_blocks_without_scatter_in_full() -> None:
    (doubt,) = paired_loss([0.1, 0.1]).doubts
    assert doubt.sentence == (
        "All 2 slowdowns are exactly the same: their noise is not seen, and what rounded or copied values hide "
        "is in no interval."
    )
    assert doubt.next == (
        "Look whether the timer rounds or values were copied; measure longer runs, with all their digits."
    )


@pytest.mark.parametrize(("count", "method"), [(5, "mean with Student's"), (6, "Hodges-Lehmann")])
def test_six_blocks_bring_the_typical_loss(count: int, method: str) -> None:
    logs = [0.0, 0.0, 0.0, 0.0, 0.0, 0.06][-count:]
    found = paired_loss(logs)
    assert found.method.startswith(method)
    middle = 0.0 if count == 6 else 0.012
    assert middle_of(logs) == pytest.approx(middle)
    assert found.slowdown == pytest.approx(math.exp(middle))
    assert found.mean is not None
    assert found.mean.loss == pytest.approx(1 - math.exp(-0.06 / count))


def test_a_gain_beyond_all_measure_has_a_bound() -> None:
    assert loss_of(-LARGEST) == loss_of(-LARGEST - 1) == loss_of(-math.inf) == -math.expm1(460.0)
    assert loss_of(-459.0) == -math.expm1(459.0)
    assert loss_of(math.inf) == 1.0
    assert 1e199 < -loss_of(-math.inf) < 1e200
