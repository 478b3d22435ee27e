"""Fractions of ablations against the book's table, and their limits."""

from __future__ import annotations

import math

import pytest

from assay.design.fraction import Fraction, aliases, fraction


def test_the_half_fraction_of_four_ablations_by_the_book() -> None:
    plan = fraction(4)  # 4 = 123, by exclusive or
    assert [row[3] for row in plan.rows] == [(a + b + c) % 2 == 1 for a, b, c, _ in plan.rows]
    assert [row[:3] for row in plan.rows] == sorted(row[:3] for row in plan.rows)
    assert (plan.words, plan.resolution) == ((frozenset({0, 1, 2, 3}),), 4)
    pairs = {frozenset(map(frozenset, group)) for group in aliases(plan)}
    halves = [(({0, 1}), ({2, 3})), (({0, 2}), ({1, 3})), (({0, 3}), ({1, 2}))]
    assert pairs == {frozenset({frozenset(one), frozenset(other)}) for one, other in halves}


@pytest.mark.parametrize(
    ("ablations", "runs", "words", "resolution"),
    [
        (1, 2, 0, math.inf),
        (2, 4, 0, math.inf),
        (3, 8, 0, math.inf),
        (4, 8, 1, 4),
        (5, 16, 1, 5),
        (6, 16, 3, 4),
        (7, 16, 7, 4),
        (8, 16, 15, 4),
    ],
)
def test_the_fractions_of_the_table(ablations: int, runs: int, words: int, resolution: float) -> None:
    plan = fraction(ablations)
    assert (plan.ablations, len(set(plan.rows)), len(set(plan.words))) == (ablations, runs, words)
    assert (len(plan.rows), len(plan.words)) == (runs, words)
    assert plan.resolution == resolution
    assert not any(plan.rows[0])
    for word in plan.words:  # an even number of a word's ablations is on in every run
        assert {sum(row[ablation] for ablation in word) % 2 for row in plan.rows} == {0}
    for ablation in range(ablations):
        assert sum(row[ablation] for row in plan.rows) == runs // 2


@pytest.mark.parametrize("ablations", [0, 9])
def test_other_numbers_of_ablations_are_refused(ablations: int) -> None:
    with pytest.raises(ValueError, match=f"^a plan has 1 to 8 ablations, got {ablations}$"):
        fraction(ablations)


def test_aliases_beyond_pairs_are_found_when_asked_for() -> None:
    assert aliases(Fraction(3, (), ()), order=3) == ()
    singles = [group for group in aliases(fraction(4), order=3) if any(len(effect) == 1 for effect in group)]
    assert sorted(sorted(map(len, group)) for group in singles) == [[1, 3]] * 4
