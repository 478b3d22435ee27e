"""What the host of a result's arms was set to: as seen in force while their trials ran."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Trial
from assay.pages.method.settings import ArmSettings, HostWatched
from assay.results.losses.spans import host_use


def host_settings_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[ArmSettings, ...]:
    """Return for each arm, in the order of the plan, what its visits held of the host's settings."""
    seen: dict[str, dict[SeenFactor, None]] = {arm.label: {} for arm in plan.arms if arm.host_settings}
    for record in records:
        arm = plan.arm_of(record.planned)
        if arm.host_settings:
            seen[arm.label].update(dict.fromkeys(record.host_settings))
    return tuple(ArmSettings(label, tuple(factors)) for label, factors in seen.items() if factors)


def host_watches_of(records: Sequence[Trial]) -> tuple[HostWatched, ...]:
    """Return where a guest's host was watched from, and what that took of it."""
    watches = {record.host_watch.cpus: record.host_watch for record in records if record.host_watch}
    shares = [use.cpu_share for record in records if (use := host_use(record)) and use.cpu_share is not None]
    most = max(shares, default=None)
    return tuple(HostWatched(watch.cpus, watch.interval_s, most) for watch in watches.values())
