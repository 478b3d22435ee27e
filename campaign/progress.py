"""How far a campaign is, and how long it has to go."""

from __future__ import annotations

import sys
import time
from collections import Counter


class Progress:
    """Prints a line for each tenth, or each minute."""

    def __init__(self, what: str, whole: int) -> None:
        self._what, self._whole = what, whole
        self._began = self._said = time.monotonic()
        self._seen: Counter[str] = Counter()

    def step(self, kind: str) -> None:
        """Take note of one that is done."""
        self._seen[kind] += 1
        done, now = self._seen.total(), time.monotonic()
        if done == self._whole or now - self._said > 30:
            self._said = now
            left = (now - self._began) / done * (self._whole - done)
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self._seen.items()))
            sys.stdout.write(f"{self._what}: {done} of {self._whole} ({kinds}), {left / 60:.0f} min to go\n")
            sys.stdout.flush()
