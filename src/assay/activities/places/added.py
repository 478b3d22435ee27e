"""A place of a plug-in: made for one visit, and removed after it by its plug-in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from assay.activities.places.shared import Shared
from assay.activities.visits.added import added_visit
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.trial import PlannedTrial
from assay.platforms.plugin_places import Note, end_places, open_place, place_spec, remove_place


@dataclass(frozen=True)
class AddedPlace:
    """A place on this machine of a kind that a plug-in adds (``Place``)."""

    arm: PlannedArm
    shared: Shared

    stands: ClassVar[bool] = False
    watched: ClassVar[bool] = False

    def prepare(self) -> None:
        """Nothing: its plug-in was asked with the plan."""

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Start a place, and remove it after the visit."""
        shared, wanted, limits = self.shared, self.arm.place_as(PluginPlace), self.arm.limits
        spec = place_spec(
            wanted,
            name=shared.name(trial.block),
            cpus=limits.cpus,
            memory_bytes=limits.memory_bytes,
            home=shared.home,
        )
        note = Note(shared.plan.id, wanted.kind, spec)
        try:
            opened = open_place(note)
            with added_visit(opened, note, self.arm, home=shared.home) as visit:
                yield visit
        finally:
            with shared.interrupts.held():
                remove_place(note)

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """Yield ``None``: it is removed, and what ran in it is run again."""
        del trial, made
        self.clear()
        yield None

    def end(self, made: str) -> None:
        """End what a visit that was cut off left."""
        del made
        self.clear()

    def clear(self) -> None:
        """Remove what is left of this activity's places."""
        end_places(self.shared.home, self.shared.plan.id)
