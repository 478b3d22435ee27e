"""Several machines that do each trial of an arm together, as a place: each stands as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.activities.places.machine import MachinePlace
from assay.activities.trials.trial import end_left
from assay.activities.visits.visit import Visit
from assay.model.trial import PlannedTrial


@dataclass(frozen=True)
class MachineGroupPlace(MachinePlace):
    """The machines of an arm (``Place``)."""

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Return them as they stand; the first has the others beside it."""
        with self.shared.machines_of(trial) as visit:
            yield visit

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """End the jobs that are left, and yield ``None``: a common start cannot be taken up again."""
        del made
        with self.shared.machines_of(trial) as visit:
            for one in (visit, *visit.beside):
                end_left(one, trial)
        yield None
