"""Plans of ablations are balanced, start with all off, and mix no single effect with another or
with a pair.
"""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
import pytest

from assay.design.fraction import aliases, fraction

each = pytest.mark.parametrize("ablations", range(1, 9))
RUNS = {1: 2, 2: 4, 3: 8, 4: 8, 5: 16, 6: 16, 7: 16, 8: 16}
RESOLUTION = {1: inf, 2: inf, 3: inf, 4: 4, 5: 5, 6: 4, 7: 4, 8: 4}
"""Box, Hunter and Hunter, table 12.15."""


@each
def test_the_first_run_has_all_ablations_off_and_no_run_comes_twice(ablations: int) -> None:
    rows = fraction(ablations).rows
    assert rows[0] == (False,) * ablations
    assert len(set(rows)) == len(rows) == RUNS[ablations]


@each
def test_the_resolution_is_that_of_the_table(ablations: int) -> None:
    assert fraction(ablations).resolution == RESOLUTION[ablations]


@each
def test_single_effects_are_orthogonal_to_each_other_and_to_all_pairs(ablations: int) -> None:
    signs = 2.0 * np.array(fraction(ablations).rows) - 1
    pairs = [signs[:, i] * signs[:, j] for i, j in combinations(range(ablations), 2)]
    columns = np.column_stack([np.ones(len(signs)), *signs.T, *pairs])
    product = columns.T @ columns
    singles = product[1 : ablations + 1]
    assert np.array_equal(singles, np.eye(len(product))[1 : ablations + 1] * len(signs))


@each
def test_the_words_are_constant_over_all_runs(ablations: int) -> None:
    plan = fraction(ablations)
    signs = 2 * np.array(plan.rows) - 1
    assert len(plan.rows) * (len(plan.words) + 1) == 2**ablations
    for word in plan.words:
        assert len(set(np.prod(signs[:, sorted(word)], axis=1).tolist())) == 1


def test_in_four_ablations_each_pair_is_mixed_with_the_other_pair() -> None:
    groups = {frozenset(group) for group in aliases(fraction(4))}
    assert groups == {
        frozenset({frozenset({0, 1}), frozenset({2, 3})}),
        frozenset({frozenset({0, 2}), frozenset({1, 3})}),
        frozenset({frozenset({0, 3}), frozenset({1, 2})}),
    }


@pytest.mark.parametrize("ablations", [1, 2, 3, 5])
def test_no_effect_up_to_pairs_is_mixed_in_full_plans_and_in_resolution_five(ablations: int) -> None:
    assert aliases(fraction(ablations)) == ()


@pytest.mark.parametrize("ablations", [0, 9])
def test_more_ablations_than_planned_for_are_refused(ablations: int) -> None:
    with pytest.raises(ValueError, match="1 to 8 ablations"):
        fraction(ablations)
