"""Knees of known curves are found where they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.explain.scaling import Knee, knee_of
from tests.explain.scaling.curves import COUNTS, Shape, bent, measured, plateau

CAMPAIGNS = 200


def found(shape: Shape, *, counts: tuple[int, ...] = COUNTS, blocks: int = 5) -> list[Knee]:
    """Return the knees of seeded campaigns."""
    knees = (knee_of(measured(shape, counts=counts, blocks=blocks, seed=seed)) for seed in range(CAMPAIGNS))
    return [knee for knee in knees if knee is not None]


def holding(knees: list[Knee], truth: float) -> float:
    """Return the share of campaigns whose interval holds the true knee."""
    return (
        sum(k.low is not None and k.high is not None and k.low <= truth <= k.high for k in knees) / CAMPAIGNS
    )


def test_a_plateau_at_six_workers_is_found_within_its_interval() -> None:
    knees = found(plateau(6))
    assert holding(knees, 6.0) >= 0.90
    assert sum(abs(knee.workers - 6.0) <= 0.1 for knee in knees) >= 0.90 * CAMPAIGNS


@pytest.mark.long
@pytest.mark.parametrize(
    ("shape", "truth", "counts", "blocks"),
    [
        (plateau(6), 6.0, (1, 2, 4, 8, 12), 5),
        (plateau(6), 6.0, COUNTS, 3),
        (plateau(2), 2.0, (1, 2, 4), 5),
        (plateau(3), 3.0, (1, 2, 4), 5),
        (bent(6, 0.3), 6.0, COUNTS, 5),
        (bent(4, -0.3), 4.0, COUNTS, 5),
        (bent(6, 0.3), 6.0, (1, 2, 4, 8, 12), 5),
        (bent(6, -0.3), 6.0, (1, 2, 4, 8, 12), 3),
        (bent(2, 0.3), 2.0, (1, 2, 4, 8), 5),
    ],
)
def test_other_knees_are_found_too(shape: Shape, truth: float, counts: tuple[int, ...], blocks: int) -> None:
    assert holding(found(shape, counts=counts, blocks=blocks), truth) >= 0.90


def test_the_slope_behind_a_knee_is_told_where_there_is_one() -> None:
    assert all(knee.slope == 0 for knee in found(plateau(6), counts=(1, 2, 4, 8)))
    assert all(knee.slope == pytest.approx(-0.3, abs=0.15) for knee in found(bent(4, -0.3)))


@pytest.mark.parametrize("counts", [(1, 2, 4), COUNTS])
def test_a_curve_that_stays_on_its_line_has_no_knee(counts: tuple[int, ...]) -> None:
    assert found(plateau(100), counts=counts) == []


def test_a_curve_that_ends_a_little_below_its_line_has_no_knee() -> None:
    assert knee_of(measured(plateau(11.5), noise=1e-6)) is None


def test_two_worker_counts_are_no_curve() -> None:
    assert knee_of(measured(plateau(1), counts=(1, 2))) is None


def test_one_block_gives_a_knee_without_interval() -> None:
    knee = knee_of(measured(plateau(6), blocks=1, noise=1e-9))
    assert knee is not None
    assert knee.workers == pytest.approx(6.0, rel=1e-6)
    assert (knee.low, knee.high) == (None, None)


def test_a_knee_at_the_fewest_workers_has_no_interval_for_nothing_was_measured_below() -> None:
    knee = knee_of(measured(plateau(0.5), noise=1e-6))
    assert knee is not None
    assert knee.workers == pytest.approx(1.0, abs=1e-4)
    falling = knee_of(measured(bent(1, -0.3), counts=(1, 2, 4)))
    assert falling == Knee(1.0, None, None, 0.0)


def test_no_interval_of_a_knee_reaches_below_the_fewest_workers() -> None:
    knees = found(plateau(1.05), blocks=3)
    assert len(knees) > CAMPAIGNS / 2
    assert all(knee.low is None or 1.0 <= knee.low <= knee.workers for knee in knees)
    assert any(knee.low is not None for knee in knees)


def test_neither_the_order_of_points_nor_their_unit_moves_the_knee() -> None:
    points = measured(bent(6, 0.3))
    other = [replace(point, rate=1000 * point.rate) for point in reversed(points)]
    one, two = knee_of(points), knee_of(other)
    assert one is not None
    assert two is not None
    assert two.workers == pytest.approx(one.workers, rel=1e-9)
