"""From a result to the settings that may win its losses back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from assay.explain.advice.advise import Advised, Held, advised, unanswered
from assay.explain.advice.situation import Situation
from assay.factors.base.evidence import Host
from assay.factors.catalogue import FACTORS
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.trial import Arm, Trial
from assay.pages.advice import Advice, AdviceRow, NextCount
from assay.pages.budget import BudgetShown, CauseShown
from assay.pages.context import Page
from assay.pages.factor_page import EffectShown
from assay.pages.proof import AblationShare, Proof
from assay.scenes.find import ready_names

ABLATED = {
    "cpu.mode": "guest-cpu",
    "disk.cache": "disk-cache",
    "memory.hugepages": "huge-pages",
    "net.backend": "native-network",
}
"""Ablations that put a factor to the test."""
NETWORK = ("iperf", "rr", "crr", "netperf", "sockperf", "ping")


def advice_of(plan: ActivityPlan, records: Sequence[Trial], page: Page, host: Host) -> Advice:
    """Return what may win the losses of a result back.

    Args:
        plan: The activity's plan.
        records: Records of its trials.
        page: Its page, with budgets and their causes.
        host: Where the settings would be tried.
    """
    rows: list[AdviceRow] = []
    unknown: list[NextCount] = []
    for budget in page.budgets:
        causes = [_held(cause) for cause in budget.causes if not cause.overlaps]
        situation = _situation(plan, records, budget)
        found = [] if situation is None else advised(situation, causes)
        rows += [_row(plan, page, budget, one, host) for one in found]
        left = {cause.code for cause in unanswered(found, causes)}
        unknown += [_next(budget, cause) for cause in budget.causes if cause.code in left or cause.overlaps]
    return Advice(
        result=page.result,
        rows=tuple(sorted(rows, key=lambda row: -(row.measured if row.measured is not None else row.most))),
        unknown=tuple(unknown),
        without_cause=tuple(_named(budget) for budget in page.budgets if not budget.causes),
        doubts=page.doubts,
    )


def _named(budget: BudgetShown) -> str:
    return budget.workload if budget.treatment is None else f"{budget.workload}, {budget.treatment}"


def _held(cause: CauseShown) -> Held:
    return Held(cause.code, cause.contribution, cause.low, cause.high, cause.share)


def _next(budget: BudgetShown, cause: CauseShown) -> NextCount:
    return NextCount(budget.workload, budget.treatment, cause.code, cause.share, cause.next)


def _situation(plan: ActivityPlan, records: Sequence[Trial], budget: BudgetShown) -> Situation | None:
    """Return what is known of a budget's treatment; ``None`` where it is no guest of ours."""
    arm = next((arm for arm in plan.treatments if budget.treatment in (None, arm.label)), None)
    ran = [
        one
        for one in records
        if one.planned.arm is Arm.TREATMENT and one.platform is not None and plan.arm_of(one.planned) == arm
    ]
    if arm is None or arm.guest is None or not ran:
        return None
    last = ran[-1]
    assert last.platform is not None  # noqa: S101 - chosen so
    return Situation(
        accelerator=last.platform.accelerator,
        levels=_levels(arm, last),
        vcpus=arm.guest.vcpus,
        cpus=len(arm.limits.cpus or last.facts.cpus),
        clock_source=last.facts.clock_source,
        counted={one.name: (one.baseline, one.treatment) for one in budget.counted},
        network=any(word in budget.workload for word in NETWORK),
    )


def _levels(arm: PlannedArm, ran: Trial) -> Mapping[str, str]:
    assert arm.guest is not None  # noqa: S101 - asked by the caller
    seen = {one.name: one.level for one in (*(ran.platform.factors if ran.platform else ()), *ran.host_settings)}
    return {"disk.cache": arm.guest.disk_cache, **dict(arm.guest.settings), **seen}


def _row(plan: ActivityPlan, page: Page, budget: BudgetShown, one: Advised, host: Host) -> AdviceRow:
    remedy, held = one.remedy, one.held
    factor = FACTORS[remedy.factor]
    won = _won(page.proof, budget, remedy.factor)
    return AdviceRow(
        workload=budget.workload,
        treatment=budget.treatment,
        factor=remedy.factor,
        level=remedy.level,
        why=remedy.why,
        source=remedy.source,
        cause=held.code,
        most=held.contribution,
        low=held.low,
        high=held.high,
        share=held.share,
        measured=won.share if won else None,
        measured_low=won.low if won else None,
        measured_high=won.high if won else None,
        seen=tuple(EffectShown(**asdict(effect)) for effect in factor.effects),
        cost=str(factor.cost),
        hazards=tuple(map(str, factor.hazards)),
        refused=factor.needs(host, None) or factor.needs(host, remedy.level),
        command=_command(plan, page, budget, f"{remedy.factor}={_quoted(remedy.level)}"),
    )


def _won(proof: Proof | None, budget: BudgetShown, factor: str) -> AblationShare | None:
    """Return what ablating a factor won back of a budget's loss; ``None`` where it was not ablated."""
    ablation = ABLATED.get(factor)
    return next(_shares(proof, budget, ablation), None) if proof and ablation else None


def _shares(proof: Proof, budget: BudgetShown, ablation: str | None) -> Iterator[AblationShare]:
    for row in proof.rows:
        if row.workload == budget.workload and row.metric in budget.metrics and not row.changed:
            yield from (share for share in row.shares if share.ablation == ablation)


def _quoted(level: str) -> str:
    return f'"{level}"' if "," in level else level


def _command(plan: ActivityPlan, page: Page, budget: BudgetShown, setting: str) -> str | None:
    """Return the command that measures a setting against the guest as it is."""
    if budget.treatment is not None:
        return None
    words = ["assay", "evaluate"]
    if plan.command is not None:
        words += ["--command", plan.command]
    elif page.result.scene.partition("@")[0] in ready_names():
        words += [page.result.scene.partition("@")[0], "--workload", budget.workload]
    else:
        words += ["SCENE.yaml"]
    return shlex.join([*words, "--baseline", "guest", "--set", setting])
