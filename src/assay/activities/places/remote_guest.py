"""A guest on another machine's hypervisor as a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.activities.places.guest import GuestPlace
from assay.model.errors import AssayError
from assay.platforms.guests.guest import Guest
from assay.probe import ProbeError, ResultError

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor


@dataclass(frozen=True)
class RemoteGuestPlace(GuestPlace):
    """A guest on the baseline's machine, which is another one (``Place``)."""

    def prepare(self) -> None:
        """Reach the hypervisor there, and end guests that nobody needs any more."""
        self.clear()

    def make(self, block: int) -> Guest:
        """Make the guest of a block there."""
        return self.shared.site().boot(self.arm, self.guest, block)

    def find(self, made: str) -> Guest | None:
        """Find a guest that an earlier process made there."""
        return self.shared.site().find(made)

    def clear(self) -> None:
        """End the guests of this activity there; raises ``ClaimedError`` where one is needed."""
        self.shared.site().clear()

    def through(self) -> SshDoor | None:
        """Return the door to the machine that carries it."""
        return self.shared.site().door

    def is_guest_error(self, error: AssayError) -> bool:
        """Tell whether the guest itself says so: where the way to it is cut, it may be whole."""
        return isinstance(error, ProbeError | ResultError)
