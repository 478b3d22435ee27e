"""Cells and heads of a budget."""

from __future__ import annotations

from dataclasses import replace

from assay.report.budget_rows import budget_cells, cause_head
from tests.report.budgets import phases_budget


def test_a_sum_of_rounding_errors_is_zero_without_a_minus() -> None:
    budget = phases_budget()
    big = [part for part in budget.parts if part.contribution > 0.1]
    small = [replace(p, baseline_s=-1e-9, treatment_s=-1e-7, contribution=0.0) for p in budget.parts[:2]]
    cells = budget_cells(replace(budget, parts=(*small, *big)))
    assert ("0.0000", "0.0000") in [row[2:4] for row in cells if "smaller" in row[0]]
    assert "-0.0000" not in str(cells)


def test_a_cause_has_its_proved_share_beside_what_is_attributed_to_it() -> None:
    cause = replace(phases_budget().causes[1], contribution=0.49, low=0.47, high=0.51, share=0.6)
    assert "proved:" not in cause_head(cause)
    shown = replace(cause, proved=0.12, proved_low=0.08, proved_high=0.16)
    assert cause_head(shown).endswith(
        "caused: 49.0 % [47.0, 51.0], 60 % of the loss; proved: 12.0 pp [8.0, 16.0]"
    )
