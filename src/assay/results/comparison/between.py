"""What else than time lies between two results."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.doubt import raised
from assay.pages.context import DoubtCount
from assay.report.doubts import counted
from assay.results.comparison.side import Host, Side


def setting_doubts(
    plans: tuple[ActivityPlan, ActivityPlan],
    arms: tuple[PlannedArm, PlannedArm],
    hosts: tuple[Host | None, Host | None],
) -> Iterator[DoubtCount]:
    """Say what else than time lies between the two results.

    Args:
        plans: The plan of each.
        arms: The treatment of each.
        hosts: The baseline's machine of each, as far as it is known.
    """
    (a, b), (treated_a, treated_b), (here, there) = plans, arms, hosts
    reported = (
        (raised("scenes-differ"), (a.scene_digest, a.command), (b.scene_digest, b.command)),
        (raised("limits-differ"), a.baseline.limits, b.baseline.limits),
        (raised("treatments-differ"), _facts_of(treated_a), _facts_of(treated_b)),
        (raised("confidence-differs"), a.confidence, b.confidence),
        (raised("hosts-differ"), here, there),
    )
    yield from (counted(doubt) for doubt, one, other in reported if one != other)


def _facts_of(arm: PlannedArm) -> object:
    place = arm.guest, arm.container, arm.domain, arm.plugin
    return arm.label, arm.limits, place, arm.cache, arm.host_settings, arm.data


def side_doubts(a: Side, b: Side) -> Iterator[DoubtCount]:
    """Say what else than the platform differs between the two, and carry over what each doubts."""
    if a.result.id == b.result.id:
        yield counted(raised("same-result"))
    if a.result.accelerator != b.result.accelerator:
        yield counted(raised("accelerators-differ", a=a.result.accelerator, b=b.result.accelerator))
    for side, letter in ((a, "A"), (b, "B")):
        for doubt in side.doubts:
            yield DoubtCount(doubt.code, f"{letter}: {doubt.sentence}", doubt.count, doubt.next)
