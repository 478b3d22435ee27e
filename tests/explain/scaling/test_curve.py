"""Efficiency and the best number of workers."""

from __future__ import annotations

import pytest

from assay.explain.scaling import ScalePoint, best_workers, curve_points
from tests.explain.scaling.curves import measured, plateau


def test_efficiency_is_the_rate_per_worker_over_that_of_the_fewest() -> None:
    curve = curve_points(measured(plateau(6), noise=0.0))
    assert [point.efficiency for point in curve] == pytest.approx([1, 1, 1, 1, 6 / 8, 6 / 10, 6 / 12])
    assert [point.rate for point in curve] == pytest.approx([1, 2, 4, 6, 6, 6, 6])


def test_efficiency_is_paired_by_block_and_has_its_interval() -> None:
    slow = [ScalePoint(w, block, w * 0.9 ** (w > 1) * (1 + block)) for block in range(4) for w in (1, 2)]
    two = curve_points(slow)[1]
    assert two.efficiency == pytest.approx(0.9)
    assert two.efficiency_low == pytest.approx(0.9)  # the blocks' own speeds drop out
    assert two.low is not None
    assert two.low < 0.9 * two.rate


def test_a_scan_that_begins_at_two_workers_counts_from_there() -> None:
    curve = curve_points(measured(plateau(4), counts=(2, 4, 8), noise=0.0))
    assert [point.efficiency for point in curve] == pytest.approx([1, 1, 0.5])


def test_the_fewest_workers_on_the_plateau_are_the_best() -> None:
    best = [best_workers(measured(plateau(6), seed=seed)) for seed in range(100)]
    assert all(count in (6, 8, 10, 12) for count in best)
    assert best.count(6) >= 75


def test_noise_does_not_make_few_workers_as_good_as_many() -> None:
    assert all(
        best_workers(measured(plateau(100), blocks=2, noise=0.1, seed=seed)) == 12 for seed in range(20)
    )


def test_one_block_takes_rates_within_two_percent_as_alike() -> None:
    points = [ScalePoint(1, 0, 1.0), ScalePoint(2, 0, 1.97), ScalePoint(4, 0, 2.0)]
    assert best_workers(points) == 2


def test_a_rate_that_falls_again_is_best_at_its_top() -> None:
    points = [ScalePoint(w, b, rate) for b in range(3) for w, rate in ((1, 1.0), (2, 1.9), (4, 1.2))]
    assert best_workers(points) == 2
