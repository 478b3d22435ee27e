"""What a setting was measured to win back: where its ablation was proved, or where a sweep tried it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import geometric_mean

from assay.factors.base.levels import spell_bytes
from assay.factors.catalogue import read_level
from assay.factors.start.starts import start_levels
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.metric import Direction
from assay.model.platforms.layout import Layout
from assay.pages.budget import BudgetShown
from assay.pages.context import Page, Row
from assay.results.advice.situation import arm_of
from assay.stats.mean import student

ABLATED = {
    "cpu.mode": "guest-cpu",
    "memory.hugepages": "huge-pages",
    "memory.size": "memory",
    "net.backend": "native-network",
    "net.model": "native-network",
}
"""Ablations that put a factor to the level that is advised.

The others do something else: ``cpu-quota`` frees a machine of its quota, no guest; ``disk-cache`` takes
``unsafe``; ``preload`` and ``stagger`` change how workloads begin on both arms, not how guests start.
"""


@dataclass(frozen=True)
class Won:
    """What a setting won back of a loss.

    Attributes:
        how: ``ablation`` or ``sweep``.
        value: A fraction of throughput, as the loss is; below zero it costs.
        low: Lower end of its interval; ``None`` below two blocks.
        high: Upper end.
    """

    how: str
    value: float
    low: float | None
    high: float | None


def won_back(plan: ActivityPlan, page: Page, budget: BudgetShown, factor: str, level: str) -> Won | None:
    """Return what a level was measured to win back of a budget's loss; ``None`` where it was not.

    Limits:
        Of a network that has several settings of its own the ablation takes all of them away: it says nothing
        of one.

    Args:
        plan: The activity's plan.
        page: Its page, with its proof and the values of its blocks.
        budget: Where the time of one workload went.
        factor: Name of the factor.
        level: The level to try.
    """
    level = read_level(factor, level)
    alone = _alone(arm_of(plan, budget), factor)
    ablated = next(_ablated(page, budget, factor), None) if alone else None
    return ablated or _swept(plan, page, budget, factor, level)


def _alone(arm: PlannedArm | None, factor: str) -> bool:
    """Tell whether no other setting goes with a factor where it is ablated."""
    if arm is None or arm.guest is None or not factor.startswith("net."):
        return True
    return all(name == factor or not name.startswith("net.") for name, _ in arm.guest.settings)


def _ablated(page: Page, budget: BudgetShown, factor: str) -> Iterator[Won]:
    if page.proof is None or factor not in ABLATED:
        return
    for row in page.proof.rows:
        if row.workload == budget.workload and row.metric in budget.metrics and not row.changed:
            for share in row.shares:
                if share.ablation == ABLATED[factor]:
                    yield Won("ablation", share.share, share.low, share.high)


def _swept(plan: ActivityPlan, page: Page, budget: BudgetShown, factor: str, level: str) -> Won | None:
    """Return the difference of two losses in the same blocks: of this treatment, and of one like it at the
    level.
    """
    arm = arm_of(plan, budget)
    other = next((one for one in plan.treatments if arm and _differs_in(arm, one, factor, level)), None)
    if arm is None or other is None:
        return None
    here, there = (_losses(page, budget, one.label) for one in (arm, other))
    pairs = [here[block] - there[block] for block in here if block in there]
    if len(pairs) < 2:
        return Won("sweep", pairs[0], None, None) if pairs else None
    centre = student(pairs, page.result.confidence)
    return Won("sweep", centre.value, centre.low, centre.high)


def _differs_in(arm: PlannedArm, other: PlannedArm, factor: str, level: str) -> bool:
    """Tell whether another arm's guest is the same but for one factor, which has a level there."""
    if arm.guest is None or other.guest is None or _bare(arm, arm.guest) != _bare(other, other.guest):
        return False
    mine, theirs = _levels(arm, arm.guest), _levels(other, other.guest)
    return theirs.pop(factor, None) == level and mine.pop(factor, None) != level and mine == theirs


def _bare(arm: PlannedArm, guest: PlannedGuest) -> PlannedArm:
    """Return an arm without its name and what is among its levels.

    Its processors stay: a guest has as many as its host gives it, so that no other treatment differs in
    ``cpu.vcpus`` alone.
    """
    alike = replace(guest, disk_cache="", settings=(), memory_bytes=0, layout=Layout(guest.layout.guests))
    limits = replace(arm.limits, memory_bytes=None)
    cache = None if guest.layout.preload else arm.cache
    return replace(arm, label="", guest=alike, limits=limits, cache=cache, host_settings=())


def _levels(arm: PlannedArm, guest: PlannedGuest) -> dict[str, str]:
    own = {"disk.cache": guest.disk_cache, "memory.size": spell_bytes(guest.memory_bytes)}
    return {**own, **start_levels(guest.layout), **dict(guest.settings), **dict(arm.host_settings)}


def _losses(page: Page, budget: BudgetShown, label: str) -> dict[int, float]:
    """Return the loss of each complete block of a treatment, by the budget's own metric."""
    rows = (row for row in page.estimates if row.workload == budget.workload and row.metric in budget.metrics)
    row = next((row for row in rows if row.treatment == label), None)
    return {} if row is None else dict(_block_losses(row))


def _block_losses(row: Row) -> Iterator[tuple[int, float]]:
    for block in row.blocks_data:
        if block.treatment and block.baseline:
            ratio = block.treatment / geometric_mean(block.baseline)
            yield block.block, 1 - (ratio if row.direction is Direction.HIGHER else 1 / ratio)
