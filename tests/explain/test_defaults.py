"""Ninety-five percent is the confidence of all that is not told another."""

from __future__ import annotations

from assay.explain.budget import budget
from assay.explain.shapley import Run, shapley_shares
from assay.explain.split import Category

BLOCKS = [({("a", Category.USER): 1.0}, {("a", Category.USER): t}) for t in (2.0, 3.0)]
RUNS = [Run((False,), (0.5, 0.6)), Run((True,), (0.1, 0.3))]


def test_a_budget_and_shares_hold_at_95_percent_by_default() -> None:
    assert budget(BLOCKS) == budget(BLOCKS, confidence=0.95) != budget(BLOCKS, confidence=0.9)
    assert (
        shapley_shares(RUNS) == shapley_shares(RUNS, confidence=0.95) != shapley_shares(RUNS, confidence=0.9)
    )
