"""Budgets that are the same are told once in what people read, and every one of them in JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assay.pages.budget import BudgetShown
from assay.pages.context import Page
from assay.pages.explanation import explanation_of
from assay.report.charts.budget import budget_charts
from assay.report.render.explain import text_explanation
from assay.report.render.html import html_report
from assay.report.render.json import to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.budget_fold import also_head, also_lines, budget_groups, same
from tests.report.budgets import lone_budget, phases_budget
from tests.report.pages import phases_page

ONE = phases_budget()
HEAD = "Where the loss went: "


def _scaled(budget: BudgetShown, by: float, **changes: object) -> BudgetShown:
    """Return a budget whose contributions differ by a share; the intervals move along."""
    parts = tuple(
        replace(
            part, contribution=part.contribution * by, low=(part.low or 0) * by, high=(part.high or 0) * by
        )
        for part in budget.parts
    )
    ends = {"loss": budget.loss * by, "low": (budget.low or 0) * by, "high": (budget.high or 0) * by}
    return replace(budget, parts=parts, **ends, **changes)  # type: ignore[arg-type]


def six() -> tuple[BudgetShown, ...]:
    """Return six budgets of six treatments that differ less than they are known to."""
    return tuple(
        _scaled(ONE, 1 + at / 10_000, treatment=f"guest of {at + 1} cores", headline=None) for at in range(6)
    )


def page(*budgets: BudgetShown) -> Page:
    return replace(phases_page(), budgets=budgets)


def test_six_equal_budgets_in_a_row_are_told_once() -> None:
    for shown in (text_report(page(*six())), text_explanation(explanation_of(page(*six())))):
        assert shown.count(HEAD) == 1
        assert shown.count("* emulation, attributed") == 1
        assert (
            "the same, as far as their intervals tell, for 5 more (shown: my-job, guest of 1 cores):" in shown
        )
        for at in range(1, 6):
            assert f"  my-job, guest of {at + 1} cores: wall time: 8" in shown


def test_html_and_markdown_fold_them_too_and_keep_every_table() -> None:
    html, text = html_report(page(*six())), markdown_report(page(*six()))
    assert html.count("<h3>my-job, guest") == 1
    assert html.count("The same, as far as their intervals tell, for 5 more") == 1
    assert html.count("<p>my-job, guest of") == 6  # the tables behind the summary
    assert text.count("### my-job") == 1
    assert text.count("- my-job, guest of") == 5
    assert len(budget_charts(page(*six()))) == 1


def test_json_keeps_every_one() -> None:
    assert len(json.loads(to_json(page(*six())))["budgets"]) == 6
    assert len(json.loads(to_json(explanation_of(page(*six()))))["budgets"]) == 6


def test_a_line_of_the_others_has_its_loss_times_and_causes() -> None:
    (reported,) = budget_groups(six()[:2])
    assert also_head(reported).startswith("the same")
    (line,) = also_lines(reported)
    assert line.startswith("my-job, guest of 2 cores: wall time: 88.")
    assert "; emulation 68.8" in line
    assert also_head(budget_groups([ONE])[0]) == ""


@pytest.mark.parametrize(
    "other",
    [
        replace(ONE, causes=ONE.causes[:2]),
        replace(ONE, causes=(replace(ONE.causes[0], evidence="caused"), *ONE.causes[1:])),
        replace(ONE, parallelism=2),
        replace(ONE, queue_from="job"),
        replace(ONE, parts=ONE.parts[:-1]),
        _scaled(ONE, 1.2),
        replace(ONE, low=None, high=None),
        lone_budget(),
    ],
)
def test_other_causes_parts_or_figures_are_told_apart(other: BudgetShown) -> None:
    assert not same(ONE, other)
    assert len(budget_groups([ONE, other])) == 2


def test_a_budget_of_one_block_is_never_the_same_as_another() -> None:
    assert not same(lone_budget(), lone_budget())


def test_wide_intervals_alone_make_no_two_budgets_the_same() -> None:
    """Parts that differ by more than a tenth of the loss have causes of their own, however little is known of
    them.
    """
    wide = replace(ONE, low=0.0, high=1.0, parts=tuple(replace(p, low=-1.0, high=1.0) for p in ONE.parts))
    first = wide.parts[0]
    moved = replace(wide, parts=(replace(first, contribution=first.contribution + 0.1), *wide.parts[1:]))
    assert not same(wide, moved)
    assert same(
        wide, replace(wide, parts=(replace(first, contribution=first.contribution + 0.05), *wide.parts[1:]))
    )


def test_budgets_without_a_cause_are_told_together_where_they_say_why() -> None:
    none = [_scaled(replace(ONE, causes=(), low=-0.1, high=0.9), 1 + at / 1000) for at in range(6)]
    none = [replace(b, low=-0.1, headline_low=None) for b in none]
    (reported,) = budget_groups(none)
    assert len(reported.also) == 5


def test_the_order_of_those_that_differ_stays() -> None:
    other = _scaled(ONE, 1.2, workload="other")
    found = budget_groups([ONE, other, replace(ONE, workload="third")])
    assert [reported.first.workload for reported in found] == ["my-job", "other"]
    assert [also.workload for also in found[0].also] == ["third"]
