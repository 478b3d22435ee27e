"""One answer of a batch system for all threads: its controller has others to serve."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from assay.machines.batch.engine import EngineError

SHARED_S, SHARED_TIMES = 1.0, 20
"""An answer is shared for as long, and for so many times what it took."""
T = TypeVar("T")


class Shared(Generic[T]):
    """An answer that all threads share while it is young.

    Args:
        ask: Gets it, or raises ``EngineError``, which is shared as an answer is.
    """

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask, self._lock = ask, threading.Lock()
        self._answer: T | EngineError | None = None
        self._until = 0.0

    def get(self) -> T:
        """Return it, asked for anew where it is old.

        Raises:
            EngineError: The system does not answer.
        """
        with self._lock:
            began = time.monotonic()
            if self._answer is None or began >= self._until:
                try:
                    self._answer = self._ask()
                except EngineError as error:  # those who have waited for it do not ask one by one
                    self._answer = error
                ended = time.monotonic()
                self._until = ended + max(SHARED_S, SHARED_TIMES * (ended - began))
            found = self._answer
        if isinstance(found, EngineError):
            raise EngineError(found.message, hint=found.hint)
        return found

    def forget(self) -> None:
        """Ask anew when it is next asked for."""
        with self._lock:
            self._until = 0.0
