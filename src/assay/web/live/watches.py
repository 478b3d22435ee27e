"""Activities that are looked at again and again: their records are read once, for pages and streams alike."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.activities.following import Follower, LaneNow, Part
from assay.design.course import Course, courses_of
from assay.store.rows import ActivityRow, FleetRow

MOST_FOLLOWED, FOLLOWED_S = 256, 60.0
"""Activities whose records are kept while each is looked at as often as this: who follows one looks once a
second, and the first page at each that goes on."""
MOST_LEFT = 8
"""Of those that are kept, how many may be left over that nobody has looked at for so long."""


@dataclass(frozen=True)
class Now:
    """An activity at one moment.

    Attributes:
        going: Whether a process of this home conducts it.
        lanes: How each machine's part stands.
        parts: What is known of each part that is planned.
        courses: How its losses narrowed; of one on several machines none: each part has its own.
    """

    going: bool
    lanes: tuple[LaneNow, ...]
    parts: tuple[Part, ...]
    courses: tuple[Course, ...]


class Watches:
    """The activities that a server looks at; the one that was looked at longest ago is forgotten first.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._known: OrderedDict[Path, _Watch] = OrderedDict()

    def now(self, home: Path, row: ActivityRow | FleetRow) -> Now:
        """Return an activity as it is now.

        Args:
            home: Folder of all state.
            row: The activity.

        Raises:
            RecordError: It cannot be read.
        """
        with self._lock:
            watch = self._known.pop(row.folder, None) or _Watch(row.folder, home)
            self._known[row.folder] = watch
            watch.looked = self._clock()
            self._forget(watch.looked)
        return watch.now(own=row.is_own)

    def _forget(self, now: float) -> None:
        while len(self._known) > MOST_LEFT:
            oldest = next(iter(self._known.values()))
            if now - oldest.looked < FOLLOWED_S and len(self._known) <= MOST_FOLLOWED:
                return
            self._known.popitem(last=False)


class _Watch:
    """One activity; one thread at a time looks at it."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._lock, self.looked = threading.Lock(), 0.0
        self._follower = Follower(folder, home)
        self._courses: tuple[Part | None, tuple[Course, ...]] = (None, ())

    def now(self, *, own: bool) -> Now:
        with self._lock:
            going = own and self._follower.going
            lanes, parts = self._follower.look(), self._follower.parts()
            return Now(going, lanes, parts, self._courses_of(parts))

    def _courses_of(self, parts: tuple[Part, ...]) -> tuple[Course, ...]:
        alone = parts[0] if len(parts) == 1 and self._follower.is_alone else None
        if alone is None:
            return ()
        if self._courses[0] is not alone:
            self._courses = alone, courses_of(alone.plan, alone.records)
        return self._courses[1]
