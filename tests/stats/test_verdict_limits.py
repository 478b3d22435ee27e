"""Verdicts, margins and doubts just below, at and just above the values where they change."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import count as count_from
from itertools import pairwise
from statistics import NormalDist, fmean, stdev

import pytest

from assay.model.figures.estimate import Estimate, Looks, Matters, Verdict
from assay.report.doubts import worded
from assay.stats import paired_loss
from assay.stats.centre import Centre
from assay.stats.replication.paired import LARGEST, _tails, loss_of, middle_of
from assay.stats.verdicts.sequence import Evidence
from assay.stats.verdicts.verdict import MOST_BLOCKS_MORE, blocks_more, matters_of, verdict_of, within_margin

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
    ("verdict", "low", "high", "matters"),
    [
        (Verdict.LOSS, 0.01, 0.02, Matters.NO),
        (Verdict.LOSS, 0.01, 0.02 + TINY, Matters.MAYBE),
        (Verdict.LOSS, 0.02, 0.03, Matters.MAYBE),
        (Verdict.LOSS, 0.02 + TINY, 0.03, Matters.YES),
        (Verdict.GAIN, -0.02, -0.01, Matters.NO),
        (Verdict.GAIN, -0.02 - TINY, -0.01, Matters.MAYBE),
        (Verdict.GAIN, -0.03, -0.02, Matters.MAYBE),
        (Verdict.GAIN, -0.03, -0.02 - TINY, Matters.YES),
        (Verdict.EQUIVALENT, -0.01, 0.01, Matters.NO),
        (Verdict.INCONCLUSIVE, -0.01, 0.01, None),
        (Verdict.NOT_MEASURED, None, None, None),
        (Verdict.LOSS, None, 0.01, None),
        (Verdict.LOSS, 0.01, None, None),
    ],
)
def test_whether_a_loss_matters_is_where_its_interval_lies_to_the_margin(
    verdict: Verdict, low: float | None, high: float | None, matters: Matters | None
) -> None:
    found = estimate(verdict, low, high)
    assert matters_of(found, 0.02) is matters
    assert within_margin(found, 0.02) is (matters is Matters.NO and verdict is not Verdict.EQUIVALENT)


def test_a_verdict_is_of_the_interval_with_the_floor_in_it() -> None:
    logs = [0.019, 0.021, 0.020, 0.0195, 0.0205, 0.0198, 0.0202, 0.020]
    assert paired_loss(logs).verdict is Verdict.LOSS
    assert paired_loss(logs, floor=0.0199).verdict is Verdict.LOSS
    assert paired_loss(logs, floor=0.0201).verdict is Verdict.INCONCLUSIVE


def scattered(mean: float, spread: float, count: int = 40) -> list[float]:
    """Return values of exactly this mean and standard deviation, as far apart as normal ones."""
    places = [NormalDist().inv_cdf((at + 0.5) / count) for at in range(count)]
    return [mean + spread * place / stdev(places) for place in places]


def more_of(values: list[float], *, margin: float = 0.0, floor: float = 0.0) -> int | None:
    centre = Centre(fmean(values), -1.0, 1.0, "a method")
    return blocks_more(values, centre, confidence=0.95, margin=margin, floor=floor)


def decided(values: list[float], count: int, at: float) -> bool:
    """Tell whether so many blocks like these would refute a centre."""
    found = Evidence(values)
    return found.expected(at)(count) >= math.log(20)


def first_look(values: list[float], *against: float) -> int:
    """Return 7 of 10 of the further blocks after which all centres would be refuted, by counting up."""
    enough = (
        more for more in count_from(1) if all(decided(values, len(values) + more, at) for at in against)
    )
    return math.ceil(0.7 * next(enough))


def test_the_further_blocks_are_those_at_whose_end_zero_is_first_refuted() -> None:
    values = scattered(0.010, 0.05)
    assert more_of(values) == first_look(values, 0.0)


def test_the_further_blocks_count_the_floor_in_quadrature() -> None:
    values = scattered(0.010, 0.05)
    more = more_of(values, floor=0.006)
    # hypot(half, 0.006) falls below the centre of 0.010 where the half-width falls below 0.008
    assert more == first_look(values, 0.002)
    assert more_of(values, floor=0.010) is None
    assert more_of([-value for value in values], floor=0.006) == more


def test_more_blocks_than_anybody_runs_are_not_told() -> None:
    assert MOST_BLOCKS_MORE == 10_000
    reported = [more_of(scattered(mean, 1.0)) for mean in (0.05, 0.04, 0.03, 0.02)]
    assert reported[0] is not None
    assert reported[0] < (reported[1] or MOST_BLOCKS_MORE)
    assert reported[-1] is None


def test_equivalence_is_among_the_verdicts_that_further_blocks_may_bring() -> None:
    values = scattered(0.0, 0.05)
    assert more_of(values, margin=0.01) == first_look(values, -math.log1p(0.01), -math.log1p(-0.01))
    assert more_of(values) is None
    assert more_of([0.1] * 8) is None


@pytest.mark.parametrize("count", [3, 5, 8])
def test_without_scatter_there_is_no_verdict(count: int) -> None:
    for looks in Looks:
        assert paired_loss([0.1] * count, margin=0.01, looks=looks).verdict is Verdict.INCONCLUSIVE
        assert paired_loss([0.0] * count, margin=0.01, looks=looks).verdict is Verdict.INCONCLUSIVE
    nearly = [0.1 + 1e-14 * (at % 2) for at in range(count)]
    assert paired_loss(nearly).verdict is Verdict.INCONCLUSIVE
    assert paired_loss([0.1 + 1e-6 * (at % 2) for at in range(count)]).verdict is Verdict.LOSS


@pytest.mark.parametrize("looks", list(Looks))
def test_a_verdict_is_that_of_the_interval_shown(looks: Looks) -> None:
    draw = random.Random(5)
    seen = set()
    for count in (2, 4, 5, 6, 9, 20):
        for _ in range(40):
            logs = [draw.gauss(0.004, 0.01) for _ in range(count)]
            found = paired_loss(logs, margin=0.015, looks=looks)
            assert found.low is not None
            assert found.high is not None
            if looks is Looks.EVERY and count < 5:
                assert found.verdict is Verdict.INCONCLUSIVE
            else:
                assert found.verdict is verdict_of(found.low, found.high, 0.015)
            seen.add(found.verdict)
    assert len(seen) >= 3


def test_six_blocks_get_no_fewer_verdicts_than_five_and_seven_no_fewer_than_six() -> None:
    draw = random.Random(6)
    runs = [[draw.gauss(0.03, 0.012) for _ in range(9)] for _ in range(400)]
    called = [sum(paired_loss(run[:n]).verdict is Verdict.LOSS for run in runs) / 400 for n in (5, 6, 7, 9)]
    assert called[0] > 0.85
    assert all(b >= a - 0.02 for a, b in pairwise(called))


@pytest.mark.parametrize(
    ("apart", "arm"),
    [(0.125, None), (0.126, "treatment"), (-0.125, None), (-0.126, "baseline"), (0.2, "treatment")],
)
def test_the_tail_is_doubted_beyond_half_a_half_width(apart: float, arm: str | None) -> None:
    headline, mean = Centre(0.5, 0.25, 0.75, "typical"), Centre(0.5 + apart, 0.4 + apart, 0.6 + apart, "mean")
    found = _tails(headline, mean)
    assert [doubt.code for doubt in found] == (["tail-loss"] if arm else [])
    assert all(f"the {arm} has the slower outliers" in worded(doubt).sentence for doubt in found)
    assert _tails(replace(headline, high=math.inf), mean) == []


def test_the_tail_is_no_arm_s_within_what_the_mean_does_not_know_of_itself() -> None:
    headline = Centre(0.5, 0.45, 0.55, "typical")
    assert _tails(headline, Centre(0.7, 0.49, 0.91, "mean")) == []
    assert len(_tails(headline, Centre(0.7, 0.51, 0.89, "mean"))) == 1


def test_the_doubt_of_a_tail_in_full() -> None:
    (doubt,) = _tails(Centre(0.1, 0.09, 0.11, "typical"), Centre(0.2, 0.15, 0.25, "mean"))
    # losses 1 - exp(-0.2) and 1 - exp(-0.1); their half-width of 0.905 points leaves two decimals
    assert worded(doubt).sentence == (
        "Tail loss: the mean loss (18.13 %) and the typical loss (9.52 %) part by more than the "
        "interval of either leaves to chance: the treatment has the slower outliers."
    )
    assert worded(doubt).next == "Look at the slowest trials one by one: what else ran then?"


def test_the_doubt_of_blocks_without_scatter_in_full() -> None:
    (doubt,) = paired_loss([0.1, 0.1]).doubts
    assert worded(doubt).sentence == (
        "All 2 slowdowns are exactly the same: their noise is not seen, and what rounded or "
        "copied values hide is in no interval."
    )
    assert worded(doubt).next == (
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
