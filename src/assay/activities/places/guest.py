"""A guest on this machine as a place: booted for each visit, and removed after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay.activities.clocks import clock_is_off
from assay.activities.places.shared import Shared
from assay.activities.plan.guest_specs import GuestSpecs, cards
from assay.activities.plan.layout import shares_of
from assay.activities.visits.visit import Visit, guest_visit
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, NoRoomError
from assay.model.files.native import PROBE
from assay.model.trial import PlannedTrial
from assay.platforms.guests.guest import Guest, GuestSpec, pick_port
from assay.platforms.leftovers.quiet import end_own_guests
from assay.platforms.libvirt.provider import LibvirtProvider

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor

BOOTS = 3
"""A guest is booted so often at most until its clock runs as the host's does."""


@dataclass(frozen=True)
class GuestPlace:
    """One guest of ours (``Place``); kinds of guests differ in how one is made and found."""

    arm: PlannedArm
    shared: Shared

    stands: ClassVar[bool] = False
    watched: ClassVar[bool] = True
    act: ClassVar[str] = "booting"

    @property
    def guest(self) -> PlannedGuest:
        """Return what is asked for."""
        return self.arm.place_as(PlannedGuest)

    def prepare(self) -> None:
        """Reach the hypervisor of this machine."""
        self.shared.hypervisor(self.guest.image)

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Make a guest, again where its clock runs off its host's."""
        for again in range(BOOTS - 1, -1, -1):
            with self._booted(trial.block) as visit:
                if again and (why := clock_is_off(visit)):
                    self.shared.watcher.warn(f"the guest of block {trial.block} is booted again: {why}")
                    continue
                yield visit
                return

    @contextmanager
    def _booted(self, block: int) -> Iterator[Visit]:
        shared = self.shared
        shared.watcher.step(f"{self.act} the guest of block {block}")
        guest = self.make(block)
        try:
            with self._visit(guest) as visit:
                visit.server = shared.network.server_address if shared.network else None
                visit.host, visit.cache = shared.host_of(self.arm).probe, self.arm.cache
                visit.post = shared.post(self.arm, guest.pid)
                yield visit
        finally:
            with shared.interrupts.held():
                guest.destroy()

    def _visit(self, guest: Guest) -> AbstractContextManager[Visit]:
        plan, home = self.shared.plan, self.shared.home
        return guest_visit(guest, self.arm.label, plan.id, home=home, through=self.through())

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """Open the guest that is left, and remove it unless its record may still be brought home."""
        del trial
        guest = None if made is None else self.find(made)
        if guest is None:
            yield None
            return
        ends = True
        try:
            with self._visit(guest) as visit:
                visit.post = self.shared.post(self.arm, guest.pid)
                yield visit
        except AssayError as error:
            ends = self.is_guest_error(error) and not isinstance(error, NoRoomError)
            raise
        finally:
            if ends:
                self._destroy(guest)

    def end(self, made: str) -> None:
        """End the guest of that name, where it is there."""
        guest = self.find(made)
        if guest is not None:
            self._destroy(guest)

    def _destroy(self, guest: Guest) -> None:
        with self.shared.interrupts.held():
            guest.destroy()

    def clear(self) -> None:
        """End the guests of this activity."""
        end_own_guests(self.shared.home, self.shared.plan.id, subreaper=PROBE.path())

    def make(self, block: int) -> Guest:
        """Make the guest of a block; raises as ``start_guest``."""
        return LibvirtProvider(self.shared.connection(), self.shared.home).make(self.spec(block))

    def spec(self, block: int) -> GuestSpec:
        """Return the guest of a block as libvirt is asked for it."""
        (share,) = shares_of(self.arm, self.guest)
        (card,) = cards(self.shared.network, 1)
        return self.specs.spec(self.arm, share, name=self.shared.name(block), port=pick_port(), card=card)

    @property
    def specs(self) -> GuestSpecs:
        """What all guests of the activity share."""
        accelerator = self.shared.hypervisor(self.guest.image)
        return GuestSpecs(self.shared.plan.id, self.shared.home, accelerator)

    def find(self, made: str) -> Guest | None:
        """Find a guest that an earlier process made."""
        return LibvirtProvider(self.shared.connection(), self.shared.home).find(made)

    def through(self) -> SshDoor | None:
        """Return the door of the machine that carries it, where that is another one."""
        return None

    def is_guest_error(self, error: AssayError) -> bool:
        """Tell whether an error is the guest's own: where the way to it is cut, the guest may be whole."""
        del error
        return True
