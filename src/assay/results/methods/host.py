"""What the host of a result's arms was set to, in sentences: as seen in force while their trials ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Trial
from assay.results.losses.spans import host_use


def host_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield for each arm, in the order of the plan, what its visits held of the host's settings."""
    seen: dict[str, dict[SeenFactor, None]] = {arm.label: {} for arm in plan.arms if arm.host_settings}
    for record in records:
        arm = plan.arm_of(record.planned)
        if arm.host_settings:
            seen[arm.label].update(dict.fromkeys(record.host_settings))
    for label, factors in seen.items():
        if factors:
            reported = "; ".join(f"{one.name} {one.level} ({one.how})" for one in factors)
            yield f"Settings of the host for {label}, seen in force at the start of each of its visits: {reported}."


def host_watch_sentences(records: Sequence[Trial]) -> Iterator[str]:
    """Say where a guest's host was watched from, and what that took of it."""
    watches = {record.host_watch.cpus: record.host_watch for record in records if record.host_watch}
    shares = [use.cpu_share for record in records if (use := host_use(record)) and use.cpu_share is not None]
    for watch in watches.values():
        cpus = ", ".join(map(str, watch.cpus))
        took = f"; it took at most {max(shares):.2%} of one core" if shares else ""
        yield (
            f"A second probe watched the guest's host meanwhile, every {watch.interval_s:g} s, on host "
            f"core{'s' if len(watch.cpus) > 1 else ''} {cpus}{took}."
        )
