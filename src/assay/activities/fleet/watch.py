"""What many lanes tell at once, as one watcher is told it."""

from __future__ import annotations

import threading

from assay.activities.events import Watcher
from assay.model.trial import PlannedTrial, Trial


class FleetWatch:
    """Hands on what lanes tell, one at a time, with the machine before it.

    Args:
        watcher: Whoever watches.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._lock = threading.Lock()
        self._lanes: dict[str, tuple[int, int, float]] = {}

    def lane(self, machine: str) -> LaneWatch:
        """Return the watcher of a lane."""
        return LaneWatch(machine, self)

    def step(self, machine: str, text: str) -> None:
        """Tell that something begins."""
        with self._lock:
            self._watcher.step(f"{machine}: {text}")

    def progress(self, machine: str, done: int, total: int, remaining_s: float) -> None:
        """Tell how far all lanes are: the longest is as long as all of them."""
        with self._lock:
            self._lanes[machine] = (done, total, remaining_s)
            every = self._lanes.values()
            self._watcher.progress(
                done=sum(lane[0] for lane in every),
                total=sum(lane[1] for lane in every),
                remaining_s=max(lane[2] for lane in every),
            )

    def trial_over(self, machine: str, label: str, trial: Trial) -> None:
        """Tell how a trial ended."""
        with self._lock:
            self._watcher.trial_started(trial.planned, f"{machine} {label}")
            self._watcher.trial_over(trial)

    def look(self, machine: str, text: str) -> None:
        """Tell what a lane's blocks say."""
        with self._lock:
            self._watcher.look(f"{machine}: {text}")

    def warn(self, machine: str, sentence: str) -> None:
        """Tell what went wrong in a lane."""
        with self._lock:
            self._watcher.warn(f"{machine}: {sentence}")


class LaneWatch:
    """A lane's watcher (``Watcher``)."""

    def __init__(self, machine: str, fleet: FleetWatch) -> None:
        self._machine, self._fleet, self._label = machine, fleet, ""

    def step(self, text: str, *, fraction: float | None = None) -> None:
        """Hand it on; how far a step is, is told of none of many."""
        if fraction is None:
            self._fleet.step(self._machine, text)

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        """Hand it on."""
        self._fleet.progress(self._machine, done, total, remaining_s)

    def trial_started(self, planned: PlannedTrial, label: str) -> None:
        """Keep the arm's name for the end of the trial."""
        del planned
        self._label = label

    def trial_over(self, trial: Trial) -> None:
        """Hand it on."""
        self._fleet.trial_over(self._machine, self._label, trial)

    def look(self, text: str) -> None:
        """Hand it on."""
        self._fleet.look(self._machine, text)

    def warn(self, sentence: str) -> None:
        """Hand it on."""
        self._fleet.warn(self._machine, sentence)
