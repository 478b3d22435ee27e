"""What speaks against trusting a budget, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from assay.explain.split import MOST_BELOW, overdrawn
from assay.pages.budget import Source
from assay.pages.budget_notes import BudgetNotes, HiddenWaits, Overdrawn
from assay.results.budgets.spent import Spent
from assay.results.budgets.uses import serial_phases

MIGRATIONS = "cpu-migrations"
"""The counter of a job's own migrations."""


def notes_of(spent: Sequence[Spent]) -> BudgetNotes:
    """Return what speaks against the budget of these trials, at least one."""
    return BudgetNotes(
        overdrawn=_overdrawn(spent),
        io_from=_worst(one.reported.io for one in spent),
        queue_from=_worst(one.reported.queue for one in spent),
        hidden=_hidden(spent),
        migrations_untold=any(_untold(one) for one in spent),
        side_by_side=any(one.trial.phases and not serial_phases(one.trial) for one in spent),
    )


def _worst(sources: Iterable[Source]) -> Source:
    order: tuple[Source, ...] = ("none", "machine", "processors", "job")
    return min(sources, key=order.index)


def _hidden(spent: Sequence[Spent]) -> HiddenWaits | None:
    hidden = sorted((one.reported.hidden_s, one.trial.planned.name) for one in spent if one.reported.hidden_s)
    return HiddenWaits(len(hidden), median(seconds for seconds, _ in hidden), *hidden[-1]) if hidden else None


def _untold(one: Spent) -> bool:
    """Tell whether a guest's migrations were asked for, and its host told none of its vCPU threads."""
    cpu = one.trial.hypervisor_cpu
    asked = any(count.name == MIGRATIONS for count in one.trial.counts)
    return asked and cpu is not None and cpu.vcpu_migrations is None


def _overdrawn(spent: Sequence[Spent]) -> Overdrawn | None:
    shares = [(overdrawn(one.times), one.trial.planned.name) for one in spent]
    over = [(share, name) for share, name in shares if share > MOST_BELOW]
    if not over:
        return None
    most, where = max(over, key=lambda pair: pair[0])
    return Overdrawn(len(over), len(spent), median(share for share, _ in over), most, where)
