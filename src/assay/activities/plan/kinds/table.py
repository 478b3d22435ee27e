"""Which kind of place a scene asks for, and an arm has: a new kind is a module of its own, and
one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.activities.plan.arms import Arms, ImageOf
from assay.activities.plan.kinds.containers import ContainerKind
from assay.activities.plan.kinds.existing_guests import ExistingGuestKind
from assay.activities.plan.kinds.guests import GuestKind
from assay.activities.plan.kinds.kind import Asked, PlaceKind
from assay.activities.plan.kinds.machines import MachineKind
from assay.activities.plan.kinds.plugin_places import PluginKind
from assay.activities.visits.remote import check_remote_guests
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Facts, Machine
from assay.model.platforms.container import PlannedContainer
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.plugin_place import PluginPlace
from assay.scenes import Guest, OtherMachine, Scene
from assay.store.store import Store

KINDS: Mapping[type, PlaceKind] = {
    Machine: MachineKind(),
    DomainSpec: ExistingGuestKind(),
    PlannedContainer: ContainerKind(),
    PluginPlace: PluginKind(),
    PlannedGuest: GuestKind(),
}


def kind_of(arm: PlannedArm) -> PlaceKind:
    """Return the kind of place that an arm has."""
    return KINDS[type(arm.place)]


def find_arms(scene: Scene, here: Facts, *, home: Path, store: Store, image: ImageOf) -> Arms:
    """Return the arms of a scene; arguments as of ``plan_activity``, and raises as it does."""
    asked = Asked(scene, here, store.machine(scene.baseline), home, store, image)
    if not asked.local:
        check_remote_guests(scene, asked.machine)
    return KINDS[_wanted(asked)].arms(asked)


def _wanted(asked: Asked) -> type:
    """Return the type of the place that the first treatment is planned as."""
    wanted = asked.scene.treatment
    if isinstance(wanted, Guest):
        return PlannedGuest
    if isinstance(wanted, OtherMachine):
        own = wanted.domain is None or asked.other.name == asked.machine.name
        return Machine if own else DomainSpec
    return type(wanted)
