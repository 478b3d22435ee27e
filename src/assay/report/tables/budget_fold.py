"""Budgets that say the same are told once: which ones, and what each of the others comes to in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from assay.pages.budget import BudgetPart, BudgetShown
from assay.pages.numbers import interval_text, value_text
from assay.report.tables.budget import SMALL, budget_title, no_cause

APART = 0.1
"""Of the smaller loss: no cause is made of less (docs/explain.md), so that parts so close have the same
causes.
"""


@dataclass(frozen=True)
class BudgetGroup:
    """A budget that is told, and those that it is told for.

    Attributes:
        first: The one whose figures are shown.
        also: Others that are the same.
    """

    first: BudgetShown
    also: tuple[BudgetShown, ...] = ()


def budget_groups(budgets: Iterable[BudgetShown]) -> tuple[BudgetGroup, ...]:
    """Return the budgets to tell, in their order: each stands for those behind it that are the same."""
    groups: list[list[BudgetShown]] = []
    for budget in budgets:
        group = next((group for group in groups if same(group[0], budget)), None)
        if group is None:
            groups.append([budget])
        else:
            group.append(budget)
    return tuple(BudgetGroup(first, tuple(also)) for first, *also in groups)


def same(one: BudgetShown, other: BudgetShown) -> bool:
    """Tell whether two budgets say the same: the same causes, gains and parts, and figures that nothing tells
    apart.

    Two figures are not told apart where they differ by less than ``SMALL`` of the loss, or each lies in the
    interval of the other and no cause could be made of the difference. Budgets of a single block are never
    the same: nothing tells what their figures are known to.
    """
    if None in (one.low, other.low) or _structure(one) != _structure(other):
        return False
    loss = min(abs(one.loss), abs(other.loss))
    most = APART * loss if one.causes else inf
    pairs = [(_loss(one), _loss(other))]
    pairs += [(_part(a), _part(b)) for a, b in zip(one.parts, other.parts, strict=True)]
    return all(_apart(a, b) <= SMALL * loss or (_apart(a, b) <= most and _mutual(a, b)) for a, b in pairs)


def _structure(budget: BudgetShown) -> object:
    """Return what a budget says but for its figures."""
    causes = tuple((cause.code, cause.evidence, cause.overlaps) for cause in budget.causes)
    gains = tuple((gain.category, gain.overlaps) for gain in budget.gains)
    parts = tuple((part.phase, part.category) for part in budget.parts)
    return causes, gains, parts, no_cause(budget), budget.parallelism, budget.io_from, budget.queue_from


Figure = tuple[float, float | None, float | None]
"""A share with the ends of its interval."""


def _loss(budget: BudgetShown) -> Figure:
    return budget.loss, budget.low, budget.high


def _part(part: BudgetPart) -> Figure:
    return part.contribution, part.low, part.high


def _apart(one: Figure, other: Figure) -> float:
    return abs(one[0] - other[0])


def _mutual(one: Figure, other: Figure) -> bool:
    """Tell whether each of two figures lies in the interval of the other."""
    (a, a_low, a_high), (b, b_low, b_high) = one, other
    if a_low is None or a_high is None or b_low is None or b_high is None:
        return False
    return a_low <= b <= a_high and b_low <= a <= b_high


def also_head(reported: BudgetGroup) -> str:
    """Return what stands above the others: how many, and whose figures are shown; empty without any."""
    if not reported.also:
        return ""
    return (
        f"the same, as far as their intervals tell, for {len(reported.also)} more (shown: "
        f"{_name(reported.first)}):"
    )


def also_lines(reported: BudgetGroup) -> Iterator[str]:
    """Yield a line for each of the others: its loss, the times of both arms, and what its causes hold."""
    for budget in reported.also:
        causes = [f"{c.code} {interval_text(c.contribution, c.low, c.high)}" for c in budget.causes]
        times = f"{value_text(budget.baseline_s)} s and {value_text(budget.treatment_s)} s"
        loss = interval_text(budget.loss, budget.low, budget.high)
        yield f"{budget_title(budget)}: {loss} ({times}){_listed(causes)}"


def _listed(causes: Sequence[str]) -> str:
    return f"; {', '.join(causes)}" if causes else ""


def _name(budget: BudgetShown) -> str:
    return budget.workload if budget.treatment is None else f"{budget.workload}, {budget.treatment}"
