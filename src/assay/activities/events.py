"""What the conductor tells whoever watches; nothing here prints."""

from __future__ import annotations

from typing import Protocol

from assay.model.trial import PlannedTrial, Trial


class Watcher(Protocol):
    """Told of each act as it happens, from the conductor's own thread; must return at once."""

    def step(self, text: str, *, fraction: float | None = None) -> None:
        """Something that takes time has begun, or is done by this fraction (0 to 1)."""

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        """So many trials are done; the rest will take about this long."""

    def trial_started(self, planned: PlannedTrial, label: str) -> None:
        """A trial starts on the arm of that label."""

    def trial_over(self, trial: Trial) -> None:
        """A trial's record is safe."""

    def look(self, text: str) -> None:
        """A block is whole: what all blocks so far say."""

    def warn(self, sentence: str) -> None:
        """Something went wrong that does not end the activity."""
