"""What assay itself took of processors that it shared with the trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised, raised
from assay.model.trial import Trial
from assay.pages.method.work import ControllerUse

SHOWS = 0.005
"""Share of the measured processors' time above which it is a doubt: a quarter of the usual margin of 2 %."""


def controller_use(plan: ActivityPlan, records: Sequence[Trial]) -> ControllerUse | None:
    """Return what the controller took; ``None`` where it had processors of its own, or that was not read."""
    if not _shares(plan):
        return None
    read = [
        (host.controller_s, host.seconds * len(host.cpus))
        for host in (record.host for record in records)
        if host is not None and host.controller_s is not None and host.seconds > 0 and host.cpus
    ]
    if not read:
        return None
    shares = [spent_s / capacity_s for spent_s, capacity_s in read]
    whole = sum(spent_s for spent_s, _ in read) / sum(capacity_s for _, capacity_s in read)
    return ControllerUse(whole, max(shares))


def _shares(plan: ActivityPlan) -> bool:
    """Tell whether no processor of the baseline's machine was left for the controller, which runs there."""
    sharing, here = plan.sharing, plan.baseline.machine
    if sharing is None:
        return False
    measured = {cpu for arm in plan.arms if arm.machine == here for cpu in arm.limits.cpus}
    return set(sharing.processors) <= measured


def controller_doubts(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Say so where the controller took enough of the measured processors to show."""
    used = controller_use(plan, records)
    if used is not None and used.share > SHOWS:
        yield raised("controller-shares-cores", share=used.share)
