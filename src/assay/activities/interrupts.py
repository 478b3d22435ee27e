"""Ctrl-C, SIGTERM and SIGHUP end an activity between two acts, never in the middle of one that must end.

A lane of an activity on several machines has a thread of its own, which hears no signal: it is asked to stop.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Turns signals into ``KeyboardInterrupt``; inside ``held`` they wait until it is left.

    Args:
        hears: It listens to signals; else it is only asked to ``stop``.
    """

    def __init__(self, *, hears: bool = True) -> None:
        self._hears = hears
        self._held = 0
        self._pending = False
        self._asked = threading.Event()
        self._obeyed = False

    def stop(self) -> None:
        """Ask another thread to stop: at its next ``check``, or when it leaves ``held``; it stays asked."""
        self._asked.set()

    def check(self) -> None:
        """Obey a request to stop, once: what is ended on its way out is not interrupted again.

        Raises:
            KeyboardInterrupt: There was one.
        """
        if self.asked and not self._held and not self._obeyed:
            self._obeyed = True
            raise KeyboardInterrupt

    @property
    def asked(self) -> bool:
        """Whether there was a request to stop."""
        return self._asked.is_set()

    def sleep(self, seconds: float) -> None:
        """Wait, no longer than to a signal or a request to stop; raises as ``check``."""
        if self._hears:
            time.sleep(seconds)
        else:
            self._asked.wait(seconds)
        self.check()

    @contextmanager
    def installed(self) -> Iterator[Interrupts]:
        """Listen while inside; the former handlers come back afterwards."""
        if not self._hears:
            yield self
            return
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
        self.check()

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if self._held:
            self._pending = True
        else:
            raise KeyboardInterrupt
