"""Ctrl-C, SIGTERM and SIGHUP end an activity between two acts, never in the middle of one that must end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Turns signals into ``KeyboardInterrupt``; inside ``held`` they wait until it is left."""

    def __init__(self) -> None:
        self._held = 0
        self._pending = False

    @contextmanager
    def installed(self) -> Iterator[Interrupts]:
        """Listen while inside; the former handlers come back afterwards."""
        former = {number: signal.signal(number, self._hear) for number in SIGNALS}
        try:
            yield self
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let an act end, such as bringing a record home, before a signal is obeyed."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        if self._pending and not self._held:
            self._pending = False
            raise KeyboardInterrupt

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if self._held:
            self._pending = True
        else:
            raise KeyboardInterrupt
