"""Which kind of place an arm has: a new kind is a module of its own, and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.activities.kinds.container import ContainerPlace
from assay.activities.kinds.existing_guest import ExistingGuestPlace
from assay.activities.kinds.guest import GuestPlace
from assay.activities.kinds.guest_group import GuestGroupPlace
from assay.activities.kinds.machine import MachinePlace
from assay.activities.kinds.place import Place
from assay.activities.kinds.remote_guest import RemoteGuestPlace
from assay.activities.kinds.saved_state import SavedStatePlace
from assay.activities.kinds.shared import Shared
from assay.activities.places.remote import is_remote
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Machine
from assay.model.platforms.container import PlannedContainer
from assay.model.platforms.existing import DomainSpec

Kind = Callable[[PlannedArm, Shared], Place]


def place_of(arm: PlannedArm, shared: Shared) -> Place:
    """Return the place of an arm, not yet opened."""
    return KINDS[type(arm.place)](arm, shared)


def _guest(arm: PlannedArm, shared: Shared) -> Place:
    """Return a guest of ours by how it is made."""
    guest = arm.guest
    if is_remote(shared.plan):
        return RemoteGuestPlace(arm, shared)
    if guest is not None and guest.layout.guests > 1:
        return GuestGroupPlace(arm, shared)
    return (SavedStatePlace if guest is not None and guest.restored else GuestPlace)(arm, shared)


KINDS: Mapping[type, Kind] = {
    Machine: MachinePlace,
    DomainSpec: ExistingGuestPlace,
    PlannedContainer: ContainerPlace,
    PlannedGuest: _guest,
}
