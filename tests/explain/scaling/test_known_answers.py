"""Curves whose knee, rates and intervals are known by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from assay.explain.scaling import (
    CurvePoint,
    Knee,
    ScalePoint,
    best_workers,
    curve_points,
    followed_by,
    knee_of,
    scaling_of,
)
from assay.explain.scaling.ends import Ends, disk, work_s
from assay.stats.mean import t_quantile
from tests.explain.scaling.curves import bent, measured, plateau

T = t_quantile(0.95, 1)
"""Of two blocks: tan(0.475 pi) = 12.7."""


def curve(*blocks: Mapping[int, float]) -> list[ScalePoint]:
    """Return a curve from the rates by workers of each block."""
    return [ScalePoint(w, at, rate) for at, rates in enumerate(blocks) for w, rate in rates.items()]


def near(value: float) -> float:
    """Return a figure up to rounding."""
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def test_rate_and_efficiency_of_two_blocks_by_hand() -> None:
    """Rates of 1 and 4 have the geometric mean 2; half of log 4 is the standard error of their logs."""
    half = T * math.log(4) / 2
    one, two = curve_points(curve({1: 1.0, 2: 1.5}, {1: 4.0, 2: 6.0}))
    assert one == CurvePoint(
        1, 2, near(2.0), near(2 * math.exp(-half)), near(2 * math.exp(half)), near(1.0), near(1.0), near(1.0)
    )
    assert two == CurvePoint(
        2,
        2,
        near(3.0),
        near(3 * math.exp(-half)),
        near(3 * math.exp(half)),
        near(0.75),
        near(0.75),
        near(0.75),
    )


def test_the_interval_of_an_efficiency_is_that_of_the_ratio_in_each_block() -> None:
    half = T * math.log(2.25) / 2
    two = curve_points(curve({1: 1.0, 2: 1.0}, {1: 1.0, 2: 2.25}))[1]
    assert (two.efficiency, two.efficiency_low, two.efficiency_high) == (
        near(0.75), near(0.75 * math.exp(-half)), near(0.75 * math.exp(half)),
    )  # fmt: skip


def test_one_block_has_no_intervals() -> None:
    assert curve_points(curve({2: 3.0, 4: 3.0})) == (
        CurvePoint(2, 1, near(3.0), None, None, near(1.0), None, None),
        CurvePoint(4, 1, near(3.0), None, None, near(0.5), None, None),
    )


def test_counts_that_share_no_block_are_compared_by_their_means() -> None:
    points = [ScalePoint(1, 0, 1.0), ScalePoint(1, 1, 4.0), ScalePoint(3, 2, 4.5), ScalePoint(3, 3, 4.5)]
    three = curve_points(points)[1]
    assert (three.rate, three.efficiency) == (near(4.5), near(0.75))
    assert (three.efficiency_low, three.efficiency_high) == (None, None)
    assert best_workers(points) == 3


def test_a_count_that_a_block_measured_twice_counts_by_its_geometric_mean() -> None:
    points = [*curve({1: 1.0, 2: 8.0}), ScalePoint(2, 0, 2.0)]
    two = curve_points(points)[1]
    assert (two.blocks, two.rate, two.efficiency) == (1, near(4.0), near(2.0))


@pytest.mark.parametrize(
    ("behind", "best"),
    [
        ((0.0, 0.0), 2),
        ((0.02, 0.02), 4),  # clearly behind
        ((-0.01, 0.05), 2),
        ((0.0, 0.0999), 2),  # no more than 5 % behind on average
        ((0.0, 0.1002), 4),
    ],
)
def test_fewer_workers_are_as_good_where_zero_is_in_the_interval_and_five_percent_are_not_passed(
    behind: tuple[float, ...], best: int
) -> None:
    points = curve(*({1: 1.0, 2: math.exp(-d) * 2, 4: 2.0} for d in behind))
    assert best_workers(points) == best


@pytest.mark.parametrize(("behind", "best"), [(0.0199, 2), (0.0201, 4)])
def test_in_one_block_rates_within_two_percent_are_alike(behind: float, best: int) -> None:
    assert best_workers(curve({1: 1.0, 2: math.exp(-behind) * 2, 4: 2.0})) == best


def test_confidence_widens_intervals_and_is_95_percent_by_default() -> None:
    points = measured(plateau(6))
    assert scaling_of(points) == scaling_of(points, confidence=0.95)
    assert (
        curve_points(points) == curve_points(points, confidence=0.95) != curve_points(points, confidence=0.8)
    )
    assert knee_of(points) == knee_of(points, confidence=0.95) != knee_of(points, confidence=0.8)
    behind = (0.01, 0.03)
    narrow = curve(*({1: 1.0, 2: math.exp(-d) * 2, 4: 2.0} for d in behind))
    assert best_workers(narrow) == best_workers(narrow, confidence=0.95) == 2
    assert best_workers(narrow, confidence=0.5) == 4


def test_a_knee_between_two_counts_is_where_the_lines_meet() -> None:
    knee = knee_of(curve({1: 1.0, 2: 2.0, 4: 3.0, 8: 3.0}))
    assert knee == Knee(near(3.0), None, None, 0.0)
    shifted = knee_of(curve({2: 10.0, 4: 20.0, 8: 30.0, 16: 30.0}))
    assert shifted == Knee(near(6.0), None, None, 0.0)


def test_a_knee_at_a_count_that_was_measured() -> None:
    assert knee_of(curve({1: 1.0, 2: 2.0, 4: 2.0})) == Knee(near(2.0), None, None, 0.0)
    assert knee_of(curve({1: 5.0, 2: 10.0, 3: 15.0, 4: 15.0, 5: 15.0})) == Knee(near(3.0), None, None, 0.0)


def test_the_interval_of_a_knee_is_the_jackknife_of_two_blocks() -> None:
    """Knees of 3 and 3.2 where the other block is left out, so that the fit of both lies at their geometric
    mean.
    """
    knee = knee_of(curve({1: 1.0, 2: 2.0, 4: 3.0, 8: 3.0}, {1: 1.0, 2: 2.0, 4: 3.2, 8: 3.2}))
    assert knee is not None
    middle, half = math.log(3 * 3.2) / 2, T * math.log(3.2 / 3) / 2
    assert knee.workers == near(math.exp(middle))
    assert knee.low == near(max(1.0, math.exp(middle - half)))
    assert knee.high == near(math.exp(middle + half))


@pytest.mark.parametrize(("slope", "found"), [(0.3, 0.3), (-0.5, -0.5), (0.0, 0.0)])
def test_a_slope_behind_the_knee_by_hand(slope: float, found: float) -> None:
    shape = bent(4, slope)
    knee = knee_of(curve({w: shape(w) for w in (1, 2, 4, 8, 16, 32)}))
    assert knee is not None
    assert (knee.workers, knee.slope) == (near(4.0), pytest.approx(found, abs=1e-9))


@pytest.mark.parametrize(
    ("counts", "slope"),
    [((1, 2, 4), 0.0), ((1, 2, 4, 8), 0.3), ((1, 2, 4, 8, 16), 0.3), ((1, 2, 4, 6, 8), -0.4)],
)
def test_a_slope_is_looked_for_from_four_counts_on(counts: tuple[int, ...], slope: float) -> None:
    shape = bent(2, slope or 0.3)
    knee = knee_of(curve({w: shape(w) for w in counts}))
    assert knee is not None
    assert knee.slope == pytest.approx(slope, abs=1e-9)


def test_a_slope_may_be_told_by_two_counts_behind_the_knee() -> None:
    shape = bent(6, -0.3)
    knee = knee_of(curve({w: shape(w) for w in (1, 2, 4, 8, 12)}))
    assert knee is not None
    assert (knee.workers, knee.slope) == (near(6.0), near(-0.3))


@pytest.mark.parametrize(("last", "found"), [(3.59, True), (3.61, False)])
def test_a_curve_that_ends_a_tenth_below_its_line_has_left_it(last: float, found: bool) -> None:
    knee = knee_of(curve({1: 1.0, 2: 2.0, 4: last}))
    assert (knee is not None) is found


def test_three_counts_are_a_curve_and_two_are_none() -> None:
    assert knee_of(curve({1: 1.0, 2: 1.0})) is None
    assert knee_of(curve({1: 1.0, 2: 1.0, 3: 1.0})) == Knee(near(1.0), None, None, 0.0)


def test_a_knee_whose_interval_reaches_the_last_count_is_none() -> None:
    assert knee_of(curve({1: 1.0, 2: 2.0, 4: 3.0}, {1: 1.0, 2: 2.0, 4: 3.2})) is None
    assert knee_of(curve({1: 1.0, 2: 2.0, 4: 3.0}, {1: 1.0, 2: 2.0, 4: 3.0})) == Knee(
        near(3.0), near(3.0), near(3.0), 0.0
    )


def test_what_a_curve_says_is_put_together() -> None:
    points = curve({1: 1.0, 2: 2.0, 4: 2.0}, {1: 1.0, 2: 2.0, 4: 2.0})
    found = scaling_of(points)
    assert found.points == curve_points(points)
    assert found.knee == knee_of(points)
    assert found.followed == followed_by(points, found.knee)
    assert found.best == 2
    assert found.saturation.resource == "unknown"
    assert scaling_of(points, confidence=0.5).points == curve_points(points, confidence=0.5)


def test_figures_at_the_ends_are_medians() -> None:
    few = [ScalePoint(1, at, 100.0, disk_bytes_per_s=value) for at, value in enumerate((1.0, 2.0, 9.0))]
    many = [
        ScalePoint(4, 0, 400.0, cpu_share=0.5, processors=8, disk_bytes_per_s=8.0),
        ScalePoint(5, 0, 400.0),
    ]
    found = Ends(few, many)
    assert found.at(disk) == (2.0, 8.0)
    assert found.ratio(disk) == 4.0
    assert found.at(work_s) == (None, 0.01)
    assert found.ratio(work_s) is None
    assert Ends(many, few).ratio(work_s) is None
    assert Ends([ScalePoint(1, 0, 1.0, disk_bytes_per_s=0.0)], many).ratio(disk) is None
    assert work_s(ScalePoint(1, 0, 10.0, cpu_share=0.5)) == 0.05
