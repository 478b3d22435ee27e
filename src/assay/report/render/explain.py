"""Where the losses of a result went, as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.pages.budget import BudgetShown
from assay.pages.context import Result
from assay.pages.explanation import Explanation
from assay.pages.numbers import percent_text, size_text
from assay.report.render.proof_text import text_proof
from assay.report.tables import words
from assay.report.tables.budget import (
    NOTE,
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
from assay.report.tables.budget_fold import BudgetGroup, also_head, also_lines, budget_groups
from assay.report.tables.tables import align, plain, table


def text_explanation(explanation: Explanation) -> str:
    """Return the losses, budgets, causes and next steps of a result as text."""
    result = explanation.result
    head = [result.title, f"{result.scene}, result {result.id}: {result.treatment} against {result.baseline}"]
    losses = [
        f"{row.workload} {words.name_of(row)}: {size_text(row)}, {words.verdict_text(row)}"
        for row in explanation.estimates
    ]
    shown = [text_budget_group(reported, result) for reported in budget_groups(explanation.budgets)]
    parts = ["\n".join(map(plain, head)), "\n".join(map(plain, losses)), *(shown or [NONE])]
    doubts = [f"  {plain(line)}" for line in words.doubts(explanation.doubts)] or ["  none"]
    level = f"{percent_text(result.confidence)} intervals. {NOTE}"
    proved = [
        text_proof(explanation.proof)
        if explanation.proof
        else PROVE_ONE
        if any(row.treatment for row in explanation.estimates)
        else f"To prove causes: assay explain {result.id} --prove"
    ]
    advice = [f"What may win it back: assay advise {result.id}"] if _has_causes(explanation) else []
    return "\n\n".join([*parts, level, *proved, *advice, "\n".join(["Doubts", *doubts])]) + "\n"


def _has_causes(explanation: Explanation) -> bool:
    return any(budget.causes for budget in explanation.budgets)


PROVE_ONE = "To prove causes: evaluate the scene with one level of each factor, and prove that result"
NONE = "no budget: no block has a time on both arms, or several machines did a trial together"


def text_budget_group(reported: BudgetGroup, result: Result, *, whole: bool = True) -> str:
    """Return a budget as text, with a line for each of those that are the same."""
    also = [f"  {plain(line)}" for line in also_lines(reported)]
    head = [plain(also_head(reported))] if also else []
    return "\n".join([text_budget(reported.first, result, whole=whole), *head, *also])


def text_budget(budget: BudgetShown, result: Result, *, whole: bool = True) -> str:
    """Return one budget as text: the table, causes and next steps; with all that was counted
    where ``whole``.
    """
    headers = budget_headers(based(budget, result), treated(budget, result))
    parts = [
        f"Where the loss went: {plain(budget_title(budget))}",
        _table(headers, budget_cells(budget), right={2, 3}),
    ]
    parts += [plain(line) for line in budget_reading(budget)] if whole else []
    for head, sentence, step in cause_lines(budget):
        parts += [f"* {plain(head)}", f"    {plain(sentence)}", f"    next: {plain(step)}"]
    for head, sentence in gain_lines(budget):
        parts += [f"* {plain(head)}", f"    {plain(sentence)}"]
    parts += [line for line in (balance(budget), no_cause(budget)) if line]
    return "\n".join([*parts, *(_details(budget, result) if whole else ())])


def _table(headers: tuple[str, ...], rows: list[tuple[str, ...]], right: Collection[int]) -> str:
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[-1] = align(columns[-1], " %")
    return table(headers, list(zip(*columns, strict=True)), right=right)


def _details(budget: BudgetShown, result: Result) -> Iterator[str]:
    if rows := phase_share_cells(budget):
        yield ""
        yield _table(phase_share_headers(based(budget, result), treated(budget, result)), rows, right={1, 2})
    if rows := cpu_cells(budget):
        yield ""
        yield table(
            ("inside CPU time", based(budget, result), treated(budget, result), "part of the loss"),
            rows,
            right={1, 2},
        )
    if figures := counted_cells(budget):
        yield ""
        yield table(
            ("counted beside it", based(budget, result), treated(budget, result)), figures, right={1, 2}
        )
