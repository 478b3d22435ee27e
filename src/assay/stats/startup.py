"""How long a job takes until it works as it does from then on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

FEWEST = 10
"""Samples below which nothing is said of a job's course."""
WORKS = 0.8
"""Of the CPU use of a job that works: what uses less does not yet."""
BEYOND_CHANCE = 16.0
"""Times the variance of the samples that the best step must explain; of noise one in a hundred would."""


def startup(moments: Sequence[float], cpu: Sequence[float]) -> float | None:
    """Return the seconds until a job began to use its processors as it did from then on.

    A job on several cores initializes on one of them, one on a single core waits for its files meanwhile:
    both use less CPU time a second than later on. The step up that explains most of how the CPU time a second
    differs between samples is the end of that; what follows the last sample that is like most, where results
    are written, does not count.

    Args:
        moments: Seconds since the job's start, ascending.
        cpu: CPU seconds that it had used then.

    Returns:
        ``None`` with fewer than ``FEWEST`` samples, and where there is no such step: then nothing is seen of
        an initialization, which does not say that there is none.

    Source:
        Least squares for one change of the mean: D. M. Hawkins, "Testing a sequence of observations for a
        shift in location", J. Am. Stat. Assoc. 72 (1977) 180-186.

    Limits:
        Known to one interval between samples. An initialization that uses four fifths of the CPU time a
        second that the events do is not seen; of a job of several loops the largest step up is taken.
    """
    if moments and moments[0] > 0:
        moments, cpu = [0.0, *moments], [0.0, *cpu]
    steps = [
        (start, end - start, max(0.0, after - before))
        for (start, end), (before, after) in zip(pairwise(moments), pairwise(cpu), strict=True)
        if end > start
    ]
    if len(steps) < FEWEST:
        return None
    usual = WORKS * sorted(used / seconds for _, seconds, used in steps)[3 * len(steps) // 4]
    last = max((at for at, (_, seconds, used) in enumerate(steps) if used >= usual * seconds), default=0)
    return _step_up(steps[: last + 1])


def _step_up(steps: Sequence[tuple[float, float, float]]) -> float | None:
    """Return when the best step up begins; of each interval its start, its length, and CPU time used."""
    whole_s, whole = sum(seconds for _, seconds, _ in steps), sum(used for _, _, used in steps)
    if len(steps) < 3 or whole <= 0:
        return None
    spread = sum(used * used / seconds for _, seconds, used in steps) - whole * whole / whole_s
    best, begun, before_s, before = 0.0, None, 0.0, 0.0
    for (_, seconds, used), (start, _, _) in pairwise(steps):
        before_s, before = before_s + seconds, before + used
        if before_s >= whole_s:
            break  # what is left of it is less than rounding
        low, high = before / before_s, (whole - before) / (whole_s - before_s)
        explained = (high - low) * (high - low) * before_s * (whole_s - before_s) / whole_s
        if low <= WORKS * high and explained > best:
            best, begun = explained, start
    return begun if best * (len(steps) - 2) > BEYOND_CHANCE * (spread - best) else None
