"""Two groups of machines that were never paired: their means, and how far apart they are.

What is measured within a machine is not independent, so that each machine counts once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance

from assay.stats.mean import student
from assay.stats.welch import welch_half

FEWEST = 3
"""Machines of each group below which no interval is said: of two, nobody sees whether one is an outlier."""
Interval = tuple[float, float | None, float | None]
"""A value with its lower and upper end; ``None`` where the data give none."""


def mean_between(values: Sequence[float], *, confidence: float) -> Interval:
    """Return the mean over machines with Student's interval; one value a machine, at least one."""
    found = student(values, confidence)
    if len(values) < FEWEST or found.low == found.high:
        return found.value, None, None
    return found.value, found.low, found.high


def difference_between(a: Sequence[float], b: Sequence[float], *, confidence: float) -> Interval:
    """Return the mean of ``b`` less that of ``a``, with Welch's interval.

    Args:
        a: One value a machine of the one group, at least one.
        b: Of the other.
        confidence: Coverage of the two-sided interval.

    Returns:
        No ends below ``FEWEST`` machines in a group, or where no value differs from another of its group.

    Source:
        Cluster means as observations: A. Donner, N. Klar, "Design and Analysis of Cluster Randomization
        Trials in Health Research" (2000), section 6.3; Welch's interval as in ``welch``.

    Limits:
        Machines must be samples of their groups. What differs between the groups besides what is asked about
        (hardware, jobs, time) is in the difference, and in no interval.
    """
    apart = fmean(b) - fmean(a)
    if min(len(a), len(b)) < FEWEST:
        return apart, None, None
    half = welch_half([(variance(one) / len(one), len(one) - 1) for one in (a, b)], confidence)
    return (apart, None, None) if half == 0 else (apart, apart - half, apart + half)


def less(a: Interval, b: Interval) -> Interval:
    """Return ``a`` less ``b`` of two independent estimates, from their intervals alone.

    Source:
        The method of variance estimates recovery (MOVER): G. Y. Zou, A. Donner, "Construction of confidence
        limits about effect measures", Statistics in Medicine 27 (2008) 1693-1702.
    """
    apart = a[0] - b[0]
    if a[1] is None or a[2] is None or b[1] is None or b[2] is None:
        return apart, None, None
    below, above = math.hypot(a[0] - a[1], b[2] - b[0]), math.hypot(a[2] - a[0], b[0] - b[1])
    return apart, apart - below, apart + above
