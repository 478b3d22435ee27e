"""When to ask how a job is: late and seldom, as each question disturbs what is measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from assay.probe.errors import LostJobError, OverdueError
from assay.probe.status import JobState, Status


@dataclass(frozen=True)
class Pace:
    """How a job is followed, all in seconds.

    Attributes:
        expected_s: No question before this.
        poll_s: Time between the first questions; it grows by a quarter each time up to twice this.
        limit_s: The end of patience.
    """

    expected_s: float
    poll_s: float
    limit_s: float


def follow(
    ask: Callable[[], Status], pace: Pace, on_tick: Callable[[], None], *, machine: str, into: str
) -> None:
    """Ask until a job has ended.

    Raises:
        LostJobError: It is lost, or there is none.
        OverdueError: It still runs at the end of patience.
    """
    start = time.monotonic()
    gap = pace.poll_s
    _sleep_until(start + min(pace.expected_s, pace.limit_s), pace.poll_s, on_tick)
    while (state := ask().state) is JobState.RUNNING:
        if time.monotonic() - start >= pace.limit_s:
            msg = f"cannot wait for {into} on {machine} any longer: it still runs after {pace.limit_s:g} s"
            raise OverdueError(msg, machine=machine, hint="assay activity stop")
        _sleep_until(min(time.monotonic() + gap, start + pace.limit_s), pace.poll_s, on_tick)
        gap = min(gap * 1.25, 2 * pace.poll_s)
    if state is not JobState.ENDED:
        msg = f"cannot find the result of {into} on {machine}: the job is {state}"
        hint = "was the machine restarted, or the probe killed?"
        raise LostJobError(msg, machine=machine, hint=hint)


def _sleep_until(deadline: float, tick_s: float, on_tick: Callable[[], None]) -> None:
    on_tick()
    while (left := deadline - time.monotonic()) > 0:
        time.sleep(min(left, tick_s))
        on_tick()
