"""What a guest that somebody else made was: as far as its hypervisor tells without being changed."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.platforms.platform import GuestWeight, Platform
from assay.model.trial import Trial
from assay.pages.method.place import Domain


def domain_of(plan: ActivityPlan, records: Sequence[Trial]) -> Domain | None:
    """Return what the domain was at its first visit, and whether it was the same at the last; ``None``
    without one.
    """
    wanted, seen = plan.treatment.domain, [record.platform for record in records if record.platform]
    if wanted is None or not seen:
        return None
    changed = len({_same(platform) for platform in seen}) > 1
    return Domain(plan.treatment.label, wanted.hypervisor, seen[0], _weight(records), changed)


def _weight(records: Sequence[Trial]) -> GuestWeight | None:
    weighed = [record for record in records if record.weight is not None]
    return max(weighed, key=lambda record: record.ended_ns).weight if weighed else None


def _same(platform: Platform) -> tuple[object, ...]:
    return platform.vcpus, platform.memory_bytes, platform.cpu_model, platform.disk_cache, platform.cpus
