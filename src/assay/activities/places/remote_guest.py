"""A guest on another machine's hypervisor as a place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.activities.places.guest import GuestPlace
from assay.activities.plan.layout import shares_of
from assay.activities.visits.guests import Site, remove_guests, visits_of
from assay.activities.visits.remote import RemoteSite
from assay.activities.visits.visit import Visit
from assay.model.errors import AssayError
from assay.model.trial import PlannedTrial
from assay.platforms.guests.guest import Guest
from assay.probe import ProbeError, ResultError

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor


@dataclass(frozen=True)
class RemoteGuestPlace(GuestPlace):
    """A guest on a machine that is not this one (``Place``)."""

    @property
    def site(self) -> RemoteSite:
        """Return the hypervisor there."""
        return self.shared.site(self.arm.machine)

    def prepare(self) -> None:
        """Reach the hypervisor there, and end guests that nobody needs any more."""
        self.clear()

    def make(self, block: int) -> Guest:
        """Make the guest of a block there."""
        (share,) = shares_of(self.arm, self.guest)
        return self.site.boot(self.guest, share, self.shared.name(block))

    def find(self, made: str) -> Guest | None:
        """Find a guest that an earlier process made there."""
        return self.site.find(made)

    def clear(self) -> None:
        """End the guests of this activity there; raises ``ClaimedError`` where one is needed."""
        self.site.clear()

    def through(self) -> SshDoor | None:
        """Return the door to the machine that carries it."""
        return self.site.door

    def is_guest_error(self, error: AssayError) -> bool:
        """Tell whether the guest itself says so: where the way to it is cut, it may be whole."""
        return isinstance(error, ProbeError | ResultError)


@dataclass(frozen=True)
class RemoteGuestGroupPlace(RemoteGuestPlace):
    """The guests of a layout on a machine that is not this one (``Place``)."""

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Boot the guests and open their visits; the first has the others beside it."""
        shared, parts = self.shared, shares_of(self.arm, self.guest)
        shared.watcher.step(f"booting the {len(parts)} guests of block {trial.block}")
        site = Site(shared.home, shared.plan.id, shared.host_of(self.arm).probe, self.through())
        with visits_of(self._make_all(trial.block), self.arm, site, interrupts=shared.interrupts) as visit:
            yield visit

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """End what is left, and yield ``None``: a common start cannot be taken up again."""
        del trial, made
        self.clear()
        yield None

    def _make_all(self, block: int) -> list[Guest]:
        """Make the guests of a block one after the other; if one fails, none is left."""
        made: list[Guest] = []
        try:
            for number, share in enumerate(shares_of(self.arm, self.guest)):
                made.append(self.site.boot(self.guest, share, f"{self.shared.name(block)}-{number}"))
        except BaseException:
            with self.shared.interrupts.held():
                remove_guests(made)
            raise
        return made
