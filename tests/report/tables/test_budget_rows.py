"""Cells and heads of a budget."""

from __future__ import annotations

from dataclasses import replace

from assay.pages.budget import BudgetShown, CauseShown, GainShown
from assay.report.render.budget_markdown import markdown_budget
from assay.report.render.explain import text_budget
from assay.report.tables.budget import balance, budget_cells, cause_head, gain_lines
from tests.report.budgets import phases_budget
from tests.report.pages import quick_page


def test_a_sum_of_rounding_errors_is_zero_without_a_minus() -> None:
    budget = phases_budget()
    big = [part for part in budget.parts if part.contribution > 0.1]
    small = [replace(p, baseline_s=-1e-9, treatment_s=-1e-7, contribution=0.0) for p in budget.parts[:2]]
    cells = budget_cells(replace(budget, parts=(*small, *big)))
    assert ("0.0000", "0.0000") in [row[2:4] for row in cells if "smaller" in row[0]]
    assert "-0.0000" not in str(cells)


def test_a_cause_has_its_proved_share_beside_what_is_attributed_to_it() -> None:
    budget = phases_budget()
    cause = replace(budget.causes[1], contribution=0.49, low=0.47, high=0.51, share=0.6)
    assert "proved:" not in cause_head(cause, budget)
    shown = replace(cause, proved=0.12, proved_low=0.08, proved_high=0.16)
    assert cause_head(shown, budget).endswith(
        "caused: 49.0 % [47.0, 51.0], 60 % of the loss; proved: 12.0 pp [8.0, 16.0]"
    )


def _balanced() -> BudgetShown:
    """Return a loss of 8 % of which one cause holds 13 %."""
    cause = CauseShown("run-queue", "Others.", "look", 0.13, 0.12, 0.14, 1.625, overlaps=False)
    gain = GainShown("user", "The program's own code takes 87 s.", -0.05, -0.06, -0.04, -0.625)
    return replace(phases_budget(), loss=0.08, low=0.07, high=0.09, causes=(cause,), gains=(gain,))


def test_a_share_above_the_whole_loss_stands_with_what_is_given_back() -> None:
    budget = _balanced()
    assert balance(budget) == "loss of 8.00 %: run-queue costs 13.00 %, user CPU gives back 5.00 %"
    assert cause_head(budget.causes[0], budget) == (
        "run-queue, attributed: 13.0 % [12.0, 14.0], 162 % of the loss (62 % of it is given back elsewhere)"
    )
    assert list(gain_lines(budget)) == [
        ("user CPU, gained: -5.0 % [-6.0, -4.0], -62 % of the loss", "The program's own code takes 87 s.")
    ]


def test_small_parts_close_the_balance() -> None:
    budget = replace(_balanced(), loss=0.07)
    assert balance(budget).endswith("user CPU gives back 5.00 %, smaller parts give back 1.00 %")
    assert balance(replace(budget, gains=())) == ""


def test_text_and_markdown_tell_gains_and_the_balance() -> None:
    budget, result = _balanced(), quick_page().result
    for shown in (text_budget(budget, result), markdown_budget(budget, result)):
        assert "user CPU, gained: -5.0 %" in shown
        assert "loss of 8.00 %: run-queue costs 13.00 %, user CPU gives back 5.00 %" in shown
