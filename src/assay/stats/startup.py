"""How long a job takes until it works as it does for most of its time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

FEWEST = 10
"""Samples below which nothing is said of a job's course."""
WORKS = 0.8
"""Of the CPU use in the middle of a job's time: from so much on it works as it does for most of it."""


def startup(moments: Sequence[float], cpu: Sequence[float]) -> float | None:
    """Return the seconds until a job first used its processors as it does for most of its time.

    A job on several cores initializes on one of them, one on a single core waits for its files meanwhile:
    both use less CPU time a second than later on.

    Args:
        moments: Seconds since the job's start, ascending.
        cpu: CPU seconds that it had used then.

    Returns:
        The beginning of the first interval that is like the others; ``None`` with fewer than ``FEWEST``
        samples, and where the first one is like the others already: then nothing is seen of an
        initialization, which does not say that there is none.

    Limits:
        Known to one interval between samples. An initialization that uses as much CPU time a second as the
        events do is not seen.
    """
    if moments and moments[0] > 0:
        moments, cpu = [0.0, *moments], [0.0, *cpu]
    steps = [
        (start, (after - before) / (end - start))
        for (start, end), (before, after) in zip(pairwise(moments), pairwise(cpu), strict=True)
        if end > start
    ]
    if len(steps) < FEWEST:
        return None
    usual = median(rate for _, rate in steps)
    if usual <= 0:
        return None
    begun = next(start for start, rate in steps if rate >= WORKS * usual)
    return begun or None
