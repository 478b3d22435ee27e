"""The time of one job, cut into phases and into what its processors did meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

WHOLE = "total"
"""The phase of a job that told of none."""
REST = "rest"
"""What lies before, between and behind the phases that a job told of: its start and its end."""
MOST_BELOW = 0.02
"""Share of the wall time that more than the whole may be found before it is doubted."""


class Category(StrEnum):
    """What a processor of a job did for a time."""

    USER = "user"
    SYSTEM = "system"
    IO = "io"
    QUEUE = "queue"
    IDLE = "idle"


Key = tuple[str, Category]
Times = Mapping[Key, float]
"""Seconds of wall time by phase and category."""


@dataclass(frozen=True)
class Use:
    """What a job used in one phase, all its processors together.

    Attributes:
        phase: Name of the phase.
        wall_s: Length of the phase.
        user_s: CPU seconds in user mode.
        system_s: CPU seconds in the kernel.
        io_s: Seconds in which threads waited for storage; 0 where nothing tells.
        queue_s: Seconds in which threads waited for a processor that others had, steal and throttling
            included.
    """

    phase: str
    wall_s: float
    user_s: float
    system_s: float
    io_s: float = 0.0
    queue_s: float = 0.0


def split(uses: Iterable[Use], parallelism: float) -> Times:
    """Return the wall time of a job by phase and category; it adds up to the phases' wall times exactly.

    wall x parallelism = user + system + I/O wait + run-queue wait + idle; idle is the remainder. Stays in the
    same phase are added up.

    Args:
        uses: What the job used, a phase at a time.
        parallelism: Processors that the job uses at once, above 0: 1 for a serial job.

    Limits:
        Waits are counted a thread at a time. Where more threads than that wait at once the remainder falls
        below zero; it is kept so, and ``overdrawn`` tells by how much.
    """
    times: dict[Key, float] = {}
    for use in uses:
        for category, seconds in _parts(use, parallelism):
            key = (use.phase, category)
            times[key] = times.get(key, 0.0) + seconds
    return times


def _parts(use: Use, parallelism: float) -> Iterator[tuple[Category, float]]:
    reported = {
        Category.USER: use.user_s / parallelism,
        Category.SYSTEM: use.system_s / parallelism,
        Category.IO: use.io_s / parallelism,
        Category.QUEUE: use.queue_s / parallelism,
    }
    yield from reported.items()
    yield Category.IDLE, use.wall_s - sum(reported.values())


def overdrawn(times: Times) -> float:
    """Return the share of the wall time by which CPU time and waits exceed it; 0 where they fit."""
    wall = sum(times.values())
    below = sum(seconds for (_, category), seconds in times.items() if category is Category.IDLE)
    return max(0.0, -below / wall) if wall > 0 else 0.0
