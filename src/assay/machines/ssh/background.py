"""The one event loop of a process, on a thread of its own; nothing async is visible outside."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

TRANSFERS = 16
"""Copies to and from other machines that are under way at once: each has up to 2 MiB in flight."""
_STUCK_S = 10.0
"""What is cancelled has this long to notice."""
_LOCK = threading.Lock()


class Background:
    """An event loop that runs until the process ends.

    Attributes:
        transfers: Held by each copy to or from another machine while it takes place.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.transfers = asyncio.Semaphore(TRANSFERS)
        # What becomes of parts of a call that was broken off is nobody's news: a call's own failure is its
        # caller's.
        self.loop.set_exception_handler(lambda _loop, _context: None)
        self._thread = threading.Thread(target=self.loop.run_forever, name="assay-ssh", daemon=True)
        self._thread.start()
        atexit.register(self._end)

    def call(self, work: Coroutine[Any, Any, T], *, timeout_s: float) -> T:
        """Run a coroutine to its end and return its value; Ctrl-C cancels it.

        Raises:
            TimeoutError: It did not end in time; it was cancelled.
        """
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, timeout_s), self.loop)
        try:
            return future.result(timeout_s + _STUCK_S)
        except BaseException:
            future.cancel()
            raise

    def soon(self, act: Callable[..., object], *args: object) -> None:
        """Call a function on the loop's thread without waiting for it."""
        self.loop.call_soon_threadsafe(act, *args)

    def _end(self) -> None:
        with contextlib.suppress(TimeoutError, RuntimeError):
            asyncio.run_coroutine_threadsafe(_cancel_all(), self.loop).result(2.0)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=2.0)
        if not self._thread.is_alive():
            self.loop.close()


def background() -> Background:
    """Return this process's loop; a forked child gets its own, as threads do not survive a fork."""
    with _LOCK:
        return _of_process(os.getpid())


@cache
def _of_process(pid: int) -> Background:
    del pid  # it is the key
    return Background()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
