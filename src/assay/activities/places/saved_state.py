"""A guest that comes from a saved state in each visit, instead of booting, as a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.activities.places.guest import GuestPlace
from assay.activities.visits.restored import restored_guest
from assay.platforms.guests.guest import Guest


@dataclass(frozen=True)
class SavedStatePlace(GuestPlace):
    """A guest restored from its saved state (``Place``)."""

    act: ClassVar[str] = "restoring"

    def make(self, block: int) -> Guest:
        """Restore the guest of a block; raises as ``restored_guest``."""
        return restored_guest(self.shared.connection(), self.spec(block), self.shared.watcher)
