"""Where the trials of a result ran."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.trial import Arm, Trial
from assay.pages.method.place import BaselineSeen, Below, Confined, Place, Together
from assay.results.methods.container import containers_of
from assay.results.methods.domain import domain_of
from assay.results.methods.emulator import clocks_of, emulators_of
from assay.results.methods.guest import guests_of
from assay.results.methods.layout import layouts_of
from assay.results.methods.plugin_place import plugin_places_of


def baseline_of(plan: ActivityPlan, records: Sequence[Trial]) -> BaselineSeen | None:
    """Return what the baseline's machine was at its first trial; ``None`` before one."""
    first = next((record for record in records if record.planned.arm is Arm.BASELINE), None)
    return None if first is None else BaselineSeen(plan.baseline.label, first.facts, first.limits)


def place_of(plan: ActivityPlan, records: Sequence[Trial]) -> Place:
    """Return what the treatments were, each kind of them."""
    if plan.treatment.domain is not None:
        return Place(
            domain=domain_of(plan, records),
            below=below_of(plan, records),
            emulators=emulators_of(plan, records),
            clocks=clocks_of(records),
        )
    inside = {
        plan.arm_of(record.planned).label
        for record in records
        if record.platform or record.container or record.plugin
    }
    standing = tuple(
        Confined(arm.label, arm.limits)
        for arm in plan.treatments
        if arm.on_machine and not arm.beside and arm.label not in inside
    )
    if all(arm.on_machine and arm.label not in inside for arm in plan.treatments):
        return Place(machines=standing, together=together_of(plan, records), below=below_of(plan, records))
    contained = any(record.container for record in records)
    added = any(record.plugin for record in records)
    return Place(
        guests=guests_of(plan, records),
        layouts=layouts_of(plan, records),
        emulators=emulators_of(plan, records),
        containers=containers_of(plan, records) if contained else (),
        plugins=plugin_places_of(plan, records) if added else (),
        machines=standing,
        clocks=clocks_of(records),
    )


def together_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[Together, ...]:
    """Return the arms whose trials several machines did together, the baseline first."""
    return tuple(_together(plan, arm, records) for arm in plan.arms if arm.beside)


def _together(plan: ActivityPlan, arm: PlannedArm, records: Sequence[Trial]) -> Together:
    members = [one for record in records if plan.arm_of(record.planned) is arm for one in record.members]
    late = [one.started_s - one.asked_s for one in members if one.started_s is not None]
    each = arm.each_machine
    names, limits = tuple(one.machine.name for one in each), tuple(one.limits for one in each)
    return Together(arm.label, names, limits, len(late), max(late, key=abs, default=None))


def below_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[Below, ...]:
    """Return which hypervisor each arm's machine runs on, where one is seen."""
    first: dict[str, str] = {}
    for record in records:
        if record.below is not None:
            first.setdefault(plan.arm_of(record.planned).label, record.below)
    return tuple(Below(label, hypervisor) for label, hypervisor in first.items())
