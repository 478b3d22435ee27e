"""Which kind of place an arm has: a new kind is a module of its own, and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.activities.places.added import AddedPlace
from assay.activities.places.container import ContainerPlace
from assay.activities.places.existing_guest import ExistingGuestPlace
from assay.activities.places.guest import GuestPlace
from assay.activities.places.guest_group import GuestGroupPlace
from assay.activities.places.machine import MachinePlace
from assay.activities.places.machine_group import MachineGroupPlace
from assay.activities.places.place import Place
from assay.activities.places.remote_guest import RemoteGuestGroupPlace, RemoteGuestPlace
from assay.activities.places.saved_state import SavedStatePlace
from assay.activities.places.shared import Shared
from assay.activities.visits.remote import is_remote
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Machine
from assay.model.platforms.container import PlannedContainer
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.plugin_place import PluginPlace

PlaceMaker = Callable[[PlannedArm, Shared], Place]


def place_of(arm: PlannedArm, shared: Shared) -> Place:
    """Return the place of an arm, not yet opened."""
    return PLACES[type(arm.place)](arm, shared)


def _guest(arm: PlannedArm, shared: Shared) -> Place:
    """Return a guest of ours by how it is made."""
    if is_remote(arm):
        return (RemoteGuestGroupPlace if arm.layout.guests > 1 else RemoteGuestPlace)(arm, shared)
    if arm.layout.guests > 1:
        return GuestGroupPlace(arm, shared)
    return (SavedStatePlace if arm.restored else GuestPlace)(arm, shared)


PLACES: Mapping[type, PlaceMaker] = {
    Machine: lambda arm, shared: (MachineGroupPlace if arm.beside else MachinePlace)(arm, shared),
    DomainSpec: ExistingGuestPlace,
    PlannedContainer: ContainerPlace,
    PluginPlace: AddedPlace,
    PlannedGuest: _guest,
}
