"""Does it matter which arm comes first?"""

from __future__ import annotations

from collections.abc import Sequence

from assay.stats.centre import Centre, mean_of, spread_of
from assay.stats.welch import welch_half

METHOD = "difference of two means, Welch's t interval"


def order_effect(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Centre | None:
    """Return by how much the log slowdown differs between blocks in which the baseline, or the other, came
    first.

    Args:
        first: Log slowdowns of blocks that the baseline began.
        second: Log slowdowns of blocks that the treatment began.
        confidence: Coverage of the interval.

    Returns:
        ``None`` with fewer than two blocks of either order.

    Source:
        B. L. Welch, "The generalization of Student's problem", Biometrika 34 (1947) 28-35.
    """
    if len(first) < 2 or len(second) < 2:
        return None
    value = mean_of(first) - mean_of(second)
    terms = [(spread_of(d) ** 2 / len(d), len(d) - 1) for d in (first, second)]
    half = welch_half(terms, confidence)
    return Centre(value, value - half, value + half, METHOD)
