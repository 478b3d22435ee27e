"""What a total grew by between two moments, when it was told at other moments only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Bounded = tuple[float, float, float]
"""A value with its lower and upper bound."""


def grown_between(
    moments: Numbers, totals: Numbers, start: float, end: float, *, known: float = 0.0
) -> Bounded | None:
    """Return what a total grew by between two moments, with bounds that hold whatever it did between its
    samples.

    The value takes it to have grown evenly between two samples; the bounds do not: the total at a moment lies
    between those at the samples around it.

    Args:
        moments: Times at which the total was told, ascending.
        totals: The total then; NaN is "not told".
        start: First moment, on the same clock.
        end: Second moment, not before the first.
        known: Both moments are known to this.

    Returns:
        ``None`` where the total was not told both before the first moment and after the second.

    Limits: for what only grows, or only falls, from a sample to the next.
    """
    import numpy as np

    reported = ~np.isnan(totals)
    at, values = moments[reported], totals[reported]
    if not len(at) or start - known < at[0] or end + known > at[-1]:
        return None
    first, last = np.interp([start, end], at, values)
    (least, most), (later_least, later_most) = (_around(at, values, moment, known) for moment in (start, end))
    return float(last - first), float(later_least - most), float(later_most - least)


def _around(at: Numbers, values: Numbers, moment: float, known: float) -> tuple[float, float]:
    """Return the smallest and the largest total at the samples around a moment."""
    import numpy as np

    before = int(np.searchsorted(at, moment - known, side="right")) - 1
    after = int(np.searchsorted(at, moment + known, side="left"))
    around = values[before : after + 1]
    return float(around.min()), float(around.max())
