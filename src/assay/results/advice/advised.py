"""The settings that may win a result's losses back, with the commands that test them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from xml.etree.ElementTree import canonicalize

from assay.explain.advice.advise import Advised, Held, advised, unanswered
from assay.explain.advice.remedy import Remedy
from assay.explain.advice.situation import Situation
from assay.factors.base.evidence import Host
from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS
from assay.factors.export.domain import into_domain
from assay.model.activity import ActivityPlan
from assay.model.machines.machine import Reach
from assay.model.trial import Trial
from assay.pages.advice import Advice, AdviceRow, NextCount
from assay.pages.budget import BudgetShown, CauseShown, CountedFigure
from assay.pages.context import Page
from assay.pages.factor_page import EffectShown
from assay.results.advice.command import Commands
from assay.results.advice.measured import won_back
from assay.results.advice.situation import arm_of, situation_of
from assay.store.objects import domain_of

DIVIDED = "slower-cpu"
"""The cause whose time is that of the program itself, which counters divide."""


def advice_of(
    plan: ActivityPlan, records: Sequence[Trial], page: Page, host: Host | None, folder: Path
) -> Advice:
    """Return what may win the losses of a result back.

    Args:
        plan: The activity's plan.
        records: Records of its trials.
        page: Its page, with budgets and their causes.
        host: This machine; what cannot be had on it is said of guests that it carries. ``None``: the result
            is of another site.
        folder: The activity's folder.
    """
    rows: list[AdviceRow] = []
    unknown: list[NextCount] = []
    commands = Commands(plan)
    for budget in page.budgets:
        situation = situation_of(plan, records, budget, folder)
        causes = list(_held(budget))
        found = [] if situation is None else advised(situation, causes)
        found = [one for one in found if not _is_so(plan, records, budget, one, folder)]
        made = _Making(plan, page, budget, situation, _carrier(plan, budget, host))
        rows += [made.row(one, commands) for one in found]
        unknown += _next(budget, {cause.code for cause in unanswered(found, causes)})
    return Advice(
        result=page.result,
        rows=tuple(sorted(rows, key=lambda row: -(row.most if row.measured is None else row.measured))),
        unknown=tuple(unknown),
        without_cause=tuple(_named(budget) for budget in page.budgets if not budget.causes),
        doubts=page.doubts,
    )


def _is_so(
    plan: ActivityPlan, records: Sequence[Trial], budget: BudgetShown, one: Advised, folder: Path
) -> bool:
    """Tell whether a domain that others made has a level already, or may have it: what is not of its
    definition is not known of it. A guest of ours has what was asked for, and else the default.
    """
    arm = arm_of(plan, budget)
    if arm is None or arm.domain is None or one.remedy.factor.startswith("host."):
        return False
    ran = next((trial for trial in reversed(records) if trial.platform is not None), None)
    text = None if ran is None else domain_of(folder, ran)
    if not text:
        return True
    new, left = into_domain(text, {one.remedy.factor: one.level}, PlainHost())
    return bool(left) or canonicalize(new, strip_text=True) == canonicalize(text, strip_text=True)


def _carrier(plan: ActivityPlan, budget: BudgetShown, host: Host | None) -> Host | None:
    """Return this machine where it carries a budget's guest, and else nothing."""
    arm = arm_of(plan, budget)
    return host if arm is not None and arm.machine.reach is Reach.LOCAL else None


def _named(budget: BudgetShown) -> str:
    return budget.workload if budget.treatment is None else f"{budget.workload}, {budget.treatment}"


def _held(budget: BudgetShown) -> Iterator[Held]:
    """Yield the causes of a loss, and of the program's own time its factors."""
    for cause in budget.causes:
        yield Held(cause.code, cause.contribution, cause.low, cause.high, cause.share)
        if cause.code == DIVIDED and budget.loss > 0:
            for one in budget.cpu:
                share = one.contribution / budget.loss
                yield Held(cause.code, one.contribution, one.low, one.high, share, part=one.factor)


def _next(budget: BudgetShown, codes: set[str]) -> Iterator[NextCount]:
    for cause in budget.causes:
        if cause.code in codes:
            yield NextCount(budget.workload, budget.treatment, cause.code, cause.share, _step(budget, cause))


def _step(budget: BudgetShown, cause: CauseShown) -> str:
    if cause.code == DIVIDED and not budget.cpu:
        return "count what it executes (assay evaluate --counters instructions,cycles,task-clock)"
    return cause.next


class _Making:
    """Makes the rows of one budget.

    Args:
        plan: The activity's plan.
        page: Its page.
        budget: The budget.
        situation: Its guest; there is one wherever something is advised.
        host: The machine that carries it; ``None`` where that is not this one.
    """

    def __init__(
        self,
        plan: ActivityPlan,
        page: Page,
        budget: BudgetShown,
        situation: Situation | None,
        host: Host | None,
    ) -> None:
        self._plan, self._page, self._budget = plan, page, budget
        self._situation, self._host = situation, host

    def row(self, one: Advised, commands: Commands) -> AdviceRow:
        remedy, held = one.remedy, one.held
        factor = FACTORS[remedy.factor]
        won = won_back(self._plan, self._page, self._budget, remedy.factor, one.level)
        counted = tuple(self._counted(remedy))
        return AdviceRow(
            workload=self._budget.workload,
            treatment=self._budget.treatment,
            factor=remedy.factor,
            level=one.level,
            why=remedy.why,
            source=remedy.source,
            cause=held.code,
            part=next((one.factor for one in self._budget.cpu if one.factor == held.part), None),
            most=held.contribution,
            low=held.low,
            high=held.high,
            share=held.share,
            measured=won.value if won else None,
            measured_low=won.low if won else None,
            measured_high=won.high if won else None,
            measured_by="ablation" if won and won.how == "ablation" else "sweep" if won else None,
            counted=counted,
            counters=() if counted else remedy.counters,
            missing=self._missing(one),
            seen=tuple(EffectShown(**asdict(effect)) for effect in factor.effects),
            cost=str(factor.cost),
            hazards=tuple(map(str, factor.hazards)),
            refused=self._refused(remedy.factor, one.level),
            command=commands.of(remedy.factor, one.level) if self._of_one_guest() else None,
        )

    def _counted(self, remedy: Remedy) -> Iterator[CountedFigure]:
        """Yield what speaks for a remedy: what the host counted of it by reason, else in all."""
        by_reason = {} if self._situation is None else self._situation.on_host
        known = [name for name in remedy.on_host if name in by_reason]
        yield from (CountedFigure(name, "", None, by_reason[name][0]) for name in known)
        told = (figure for figure in self._budget.counted if figure.treatment is not None)
        yield from (figure for figure in told if figure.name in remedy.shown_by and not known)

    def _missing(self, one: Advised) -> tuple[str, ...]:
        """Return the instruction sets that a larger processor would have; empty of other settings."""
        asked = one.remedy.factor == "cpu.mode" and self._situation is not None and self._situation.kvm
        return (self._situation.missing or ()) if asked and self._situation else ()

    def _refused(self, name: str, level: str) -> str | None:
        if self._host is None:
            return None
        factor = FACTORS[name]
        return factor.needs(self._host, None) or factor.needs(self._host, level)

    def _of_one_guest(self) -> bool:
        """Tell whether the result has one treatment, a guest that is made for it."""
        arm = arm_of(self._plan, self._budget)
        return arm is not None and arm.guest is not None and self._budget.treatment is None
