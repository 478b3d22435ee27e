"""Rates over time from totals that only grow."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


def steps(count: int, most: int) -> Places:
    """Return the places of the samples that bound at most ``most`` steps, evenly spread, both ends included.

    Args:
        count: Number of samples.
        most: Number of steps allowed, at least one.
    """
    import numpy as np

    if count < 2:
        return np.arange(0)
    return np.linspace(0, count - 1, min(count - 1, most) + 1).round().astype(np.intp)


def step_rates(seconds: Numbers, totals: Numbers, bounds: Places) -> Numbers:
    """Return the mean rate in each step: what the total grew by, over the step's time.

    No sample is lost by thinning: the rates times the steps' lengths add up to the whole growth.

    Args:
        seconds: Time of each sample.
        totals: A cumulative quantity at each sample; NaN is "not measured".
        bounds: As ``steps`` returns them.

    Returns:
        One rate a step; NaN where an end was not measured or the total went down.
    """
    import numpy as np

    grown, passed = np.diff(totals[bounds]), np.diff(seconds[bounds])
    rates = np.full(len(grown), np.nan)
    np.divide(grown, passed, out=rates, where=(passed > 0) & (grown >= 0))
    return rates


def between_known(seconds: Numbers, totals: Numbers) -> Numbers:
    """Return a cumulative quantity at each sample, of one that was not read in each of them.

    Args:
        seconds: Time of each sample.
        totals: The quantity; NaN where it was not read.

    Returns:
        Between two samples that have it, it is taken to grow evenly; NaN before the first and after the last
        of them.
    """
    import numpy as np

    missing = np.isnan(totals)
    if not missing.any() or missing.all():
        return totals
    return np.interp(seconds, seconds[~missing], totals[~missing], left=np.nan, right=np.nan)


def step_peaks(values: Numbers, bounds: Places) -> Numbers:
    """Return the largest value in each step, its ends included; NaN where none was measured."""
    import numpy as np

    known = np.where(np.isnan(values), -np.inf, values)
    peaks = np.array([known[a : b + 1].max() for a, b in pairwise(bounds.tolist())])
    return np.where(np.isneginf(peaks), np.nan, peaks) if len(peaks) else np.empty(0)


def step_range(values: Numbers, starts: Places) -> tuple[Numbers, Numbers]:
    """Return the smallest and the largest value in each step; NaN where none was measured.

    Args:
        values: One a sample, or one between every two; NaN is "not measured".
        starts: Place of the first value of each step, ascending; it ends where the next one begins.
    """
    import numpy as np

    if not len(starts):
        return np.empty(0), np.empty(0)
    return np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)


def range_around(moments: Numbers, values: Numbers, bounds: Numbers) -> tuple[Numbers, Numbers]:
    """Return the smallest and the largest of the values that lie in each step, if only in part; NaN where
    none does.

    Args:
        moments: Times between which the values lie, ascending; one more than there are values.
        values: One between every two moments; NaN is "not measured".
        bounds: Ends of the steps, ascending, on the same clock.
    """
    import numpy as np

    first = np.searchsorted(moments, bounds[:-1], side="right") - 1
    after = np.searchsorted(moments, bounds[1:], side="left")
    least, most = (np.full(len(first), np.nan) for _ in range(2))
    for at, (begin, end) in enumerate(zip(first.tolist(), after.tolist(), strict=True)):
        inside = values[max(begin, 0) : min(end, len(values))]
        if len(inside):
            least[at], most[at] = np.fmin.reduce(inside), np.fmax.reduce(inside)
    return least, most


def totals_at(moments: Numbers, totals: Numbers, seconds: Numbers) -> Numbers:
    """Return how far a total had come at other times than those at which it was told; 0 before the first.

    Args:
        moments: Times at which the total was told, ascending.
        totals: The total then.
        seconds: When it is asked for.
    """
    import numpy as np

    known = np.concatenate([[0.0], totals])
    return known[np.searchsorted(moments, seconds, side="right")]
