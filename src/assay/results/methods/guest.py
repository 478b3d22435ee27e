"""What the guests of a result were: as read back from outside, and the settings seen in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.machines.machine import Reach
from assay.model.platforms.platform import Platform
from assay.model.trial import Trial
from assay.pages.method.place import Cores, GuestKind, Guests


def guests_of(plan: ActivityPlan, records: Sequence[Trial]) -> Guests | None:
    """Return what the guest of each arm was, those that are alike once; ``None`` where no trial
    ran in one.
    """
    first: dict[str, tuple[Platform, Cores, str | None]] = {}
    for record in sorted(records, key=lambda record: (record.planned.arm, record.planned.level)):
        if record.platform is not None:
            cores = tuple((one.name, one.cpus) for one in record.members)
            arm = plan.arm_of(record.planned)
            first.setdefault(arm.label, (_made(record.platform), cores, _far(arm)))
    alike: dict[tuple[Platform, Cores, str | None], list[str]] = {}
    for label, made in first.items():
        alike.setdefault(made, []).append(label)
    kinds = tuple(GuestKind(tuple(labels), *made) for made, labels in alike.items())
    return Guests(kinds, against_host=plan.baseline.guest is None) if kinds else None


def _far(arm: PlannedArm) -> str | None:
    return None if arm.machine.reach is Reach.LOCAL else arm.machine.name


def _made(platform: Platform) -> Platform:
    """Return a guest without what every boot has of its own."""
    restored = platform.restored and replace(platform.restored, clock=None)
    return replace(platform, domain_xml="", domain=None, restored=restored)
