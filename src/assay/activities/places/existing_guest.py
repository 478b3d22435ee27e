"""A guest that somebody else made, as a place: it is used as it is, and watched from its host where that is
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from assay.activities.places.machine import MachinePlace
from assay.activities.visits.existing import looked_at_again
from assay.activities.visits.visit import Visit
from assay.model.trial import PlannedTrial


@dataclass(frozen=True)
class ExistingGuestPlace(MachinePlace):
    """A libvirt domain that is there already (``Place``)."""

    watched: ClassVar[bool] = True

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Read it back, since others may have changed it meanwhile, and watch it from its host."""
        yield self._watched(looked_at_again(self.shared.standing(trial)))

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """Return it as it stands, watched from its host."""
        del made
        yield self._watched(self.shared.standing(trial))

    def _watched(self, visit: Visit) -> Visit:
        if visit.existing is not None:
            visit.post = self.shared.post(self.arm, visit.existing.pid)
        return visit
