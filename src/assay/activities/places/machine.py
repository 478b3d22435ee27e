"""A machine that stands, this one or another, as a place: its trials run on it as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from assay.activities.places.shared import Shared
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.trial import PlannedTrial


@dataclass(frozen=True)
class MachinePlace:
    """A machine without a guest or a container of ours (``Place``)."""

    arm: PlannedArm
    shared: Shared

    stands: ClassVar[bool] = True
    watched: ClassVar[bool] = False

    def prepare(self) -> None:
        """Nothing: it has been reached."""

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Return it as it stands."""
        yield self.shared.standing(trial)

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """Return it as it stands, where a job may have outlived the process that started it."""
        del made
        yield self.shared.standing(trial)

    def end(self, made: str) -> None:
        """Nothing was made."""

    def clear(self) -> None:
        """Nothing is left but folders, which are taken off all machines."""
