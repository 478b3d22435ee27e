"""Fisher's exact test against another implementation and by its symmetries."""

from __future__ import annotations

import itertools

import pytest

from assay.stats.fisher import fisher_exact


@pytest.mark.parametrize("seen", [(0, 5, 0, 7), (3, 1, 1, 3), (8, 2, 1, 5), (6, 34, 0, 20), (0, 60, 6, 24)])
def test_it_agrees_with_scipy(seen: tuple[int, int, int, int]) -> None:
    from scipy.stats import fisher_exact as reference

    a, b, c, d = seen
    assert fisher_exact(*seen) == pytest.approx(reference([[a, b], [c, d]])[1], rel=1e-12)


def test_it_agrees_with_scipy_on_all_small_tables() -> None:
    from scipy.stats import fisher_exact as reference

    for a, b, c, d in itertools.product(range(5), repeat=4):
        if min(a + b, c + d, a + c, b + d) > 0:
            assert fisher_exact(a, b, c, d) == pytest.approx(reference([[a, b], [c, d]])[1], rel=1e-9)


def test_the_lady_who_tasted_tea_is_not_yet_believed() -> None:
    assert fisher_exact(3, 1, 1, 3) == pytest.approx(34 / 70)


def test_swapping_the_groups_changes_nothing() -> None:
    assert fisher_exact(6, 24, 0, 60) == fisher_exact(0, 60, 6, 24)


@pytest.mark.parametrize("seen", [(0, 0, 0, 0), (0, 3, 0, 0), (2, 0, 0, 0), (0, 9, 0, 4)])
def test_without_a_second_group_or_any_hit_nothing_differs(seen: tuple[int, int, int, int]) -> None:
    assert fisher_exact(*seen) == 1


def test_a_thousand_trials_are_no_trouble() -> None:
    assert fisher_exact(60, 940, 61, 939) == pytest.approx(1, abs=0.1)
