"""What grows with a plan, and is done after each trial as long as it is quick."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

QUICK_S = 0.002
"""What takes less is done each time."""
SHARE = 0.0003
"""Of the time, what takes longer may have so much, 0.9 ms a trial of 3 s, however long the plan: an activity
does three such things.
"""


class Seldom:
    """Tells whether something is to be done again, by how long it took and how long ago that was.

    Args:
        least_s: However quick it is, so long passes between two times.
    """

    def __init__(self, least_s: float = 0.0) -> None:
        self._least_s = least_s
        self._took_s = 0.0
        self._done_at: float | None = None

    def is_due(self) -> bool:
        """Tell whether it may be done now."""
        if self._done_at is None:
            return True
        least_s = self._least_s if self._took_s < QUICK_S else max(self._least_s, self._took_s / SHARE)
        return self.since_s() >= least_s

    def since_s(self) -> float:
        """Return how long ago it was done; 0 before the first time."""
        return 0.0 if self._done_at is None else time.monotonic() - self._done_at

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Take its time."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._done_at = time.monotonic()
            self._took_s = self._done_at - began
