"""A budget as Markdown."""

from __future__ import annotations

from assay.pages.budget import BudgetShown
from assay.pages.context import Result
from assay.report.render.markdown_words import bullets, escape, markdown_table
from assay.report.tables.budget import (
    balance,
    based,
    budget_cells,
    budget_headers,
    budget_reading,
    budget_title,
    cause_lines,
    counted_cells,
    cpu_cells,
    gain_lines,
    no_cause,
    phase_share_cells,
    phase_share_headers,
    treated,
)
from assay.report.tables.budget_fold import BudgetGroup, also_head, also_lines


def markdown_budget_group(reported: BudgetGroup, result: Result) -> str:
    """Return a budget as Markdown, with a point for each of those that are the same."""
    head = escape(also_head(reported))
    parts = [markdown_budget(reported.first, result), head, bullets(also_lines(reported)) if head else ""]
    return "\n\n".join(part for part in parts if part)


def markdown_budget(budget: BudgetShown, result: Result) -> str:
    """Return one budget as Markdown, under a heading of the third level."""
    headers = budget_headers(based(budget, result), treated(budget, result))
    causes = "\n".join(
        f"- **{escape(head)}**. {escape(sentence)} Next: {escape(step)}."
        for head, sentence, step in cause_lines(budget)
    )
    phases = phase_share_headers(based(budget, result), treated(budget, result))
    cpu = ("inside CPU time", based(budget, result), treated(budget, result), "part of the loss")
    counted = ("counted beside it", based(budget, result), treated(budget, result))
    parts = [
        f"### {escape(budget_title(budget))}",
        markdown_table(headers, budget_cells(budget), right={2, 3, 4}),
        bullets(budget_reading(budget)),
        causes or escape(no_cause(budget)),
        "\n".join(f"- **{escape(head)}**. {escape(sentence)}" for head, sentence in gain_lines(budget)),
        escape(balance(budget)),
        markdown_table(phases, rows, right={1, 2, 3}) if (rows := phase_share_cells(budget)) else "",
        markdown_table(cpu, cpu_cells(budget), right={1, 2, 3}) if budget.cpu else "",
        markdown_table(counted, rows, right={1, 2}) if (rows := counted_cells(budget)) else "",
    ]
    return "\n\n".join(part for part in parts if part)
