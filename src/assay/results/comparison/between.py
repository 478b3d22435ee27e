"""What else than time lies between two results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.model.activity import ActivityPlan
from assay.model.doubt import raised
from assay.model.machines.machine import Facts
from assay.model.trial import Arm, Trial
from assay.pages.context import DoubtCount, Page
from assay.report.doubts import counted


def baseline_facts(records: Iterable[Trial]) -> Facts | None:
    """Return the baseline's machine of a result; ``None`` where no trial of it ran."""
    return next((r.facts for r in records if r.planned.arm is Arm.BASELINE), None)


def setting_doubts(
    a: ActivityPlan, b: ActivityPlan, here: Facts | None, there: Facts | None
) -> Iterator[DoubtCount]:
    """Say what else than time lies between the two results."""
    reported = (
        (raised("scenes-differ"), (a.scene_digest, a.command), (b.scene_digest, b.command)),
        (raised("limits-differ"), a.baseline.limits, b.baseline.limits),
        (raised("treatments-differ"), _treatment_of(a), _treatment_of(b)),
        (raised("confidence-differs"), a.confidence, b.confidence),
        (raised("hosts-differ"), here and _identity(here), there and _identity(there)),
    )
    yield from (counted(doubt) for doubt, one, other in reported if one != other)


def _treatment_of(plan: ActivityPlan) -> object:
    arm = plan.treatment
    place = arm.guest, arm.container, arm.domain, arm.plugin
    return arm.label, arm.limits, place, arm.cache, arm.host_settings, arm.data


def _identity(facts: Facts) -> object:
    return facts.hostname, facts.cpu_model, facts.kernel


def page_doubts(a: Page, b: Page) -> Iterator[DoubtCount]:
    """Say what else than the platform differs between the two, and carry over what each doubts."""
    if a.result.id == b.result.id:
        yield counted(raised("same-result"))
    if a.result.accelerator != b.result.accelerator:
        yield counted(raised("accelerators-differ", a=a.result.accelerator, b=b.result.accelerator))
    for page, letter in ((a, "A"), (b, "B")):
        for doubt in page.doubts:
            yield DoubtCount(doubt.code, f"{letter}: {doubt.sentence}", doubt.count, doubt.next)
