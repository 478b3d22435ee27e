"""Sessions: who has signed in, by a random id that their browser keeps; and sign-ins that have begun."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

MOST = 10_000
"""Entries that are kept; the oldest goes first."""
T = TypeVar("T")


@dataclass
class _Kept(Generic[T]):
    value: T
    made: float
    used: float


class Kept(Generic[T]):
    """Values by random ids, of which only digests are kept; each ends by itself.

    Args:
        lifetime_s: Time after which one ends.
        idle_s: Time without use after which it ends; ``None`` is its lifetime.
        clock: Seconds that only grow.
    """

    def __init__(
        self, lifetime_s: float, idle_s: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lifetime_s, self._idle_s, self._clock = lifetime_s, idle_s or lifetime_s, clock
        self._kept: OrderedDict[str, _Kept[T]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, make: Callable[[str], T]) -> str:
        """Keep a value under a new id.

        Args:
            make: Makes it of what may be known of the id: a digest.

        Returns:
            The id, which is not kept.
        """
        name = secrets.token_urlsafe(32)
        now = self._clock()
        with self._lock:
            self._kept[_digest(name)] = _Kept(make(_digest(name)), now, now)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> T | None:
        """Return a value that has not ended, which is used by that; ``None`` for an id that is not known."""
        now = self._clock()
        with self._lock:
            kept = self._kept.get(_digest(name))
            if kept is None:
                return None
            if now - kept.made >= self._lifetime_s or now - kept.used >= self._idle_s:
                del self._kept[_digest(name)]
                return None
            kept.used = now
            return kept.value

    def take(self, name: str) -> T | None:
        """Return a value and end it."""
        value = self.get(name)
        with self._lock:
            self._kept.pop(_digest(name), None)
        return value


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode(errors="replace")).hexdigest()
