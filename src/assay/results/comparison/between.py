"""What else than time lies between two results."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.activity import ActivityPlan
from assay.model.doubt import raised
from assay.pages.context import DoubtCount
from assay.report.doubts import counted
from assay.results.comparison.side import Host, Side


def setting_doubts(
    a: ActivityPlan, b: ActivityPlan, here: Host | None, there: Host | None
) -> Iterator[DoubtCount]:
    """Say what else than time lies between the two results."""
    reported = (
        (raised("scenes-differ"), (a.scene_digest, a.command), (b.scene_digest, b.command)),
        (raised("limits-differ"), a.baseline.limits, b.baseline.limits),
        (raised("treatments-differ"), _treatment_of(a), _treatment_of(b)),
        (raised("confidence-differs"), a.confidence, b.confidence),
        (raised("hosts-differ"), here, there),
    )
    yield from (counted(doubt) for doubt, one, other in reported if one != other)


def _treatment_of(plan: ActivityPlan) -> object:
    arm = plan.treatment
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
