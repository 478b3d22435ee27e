"""The Hodges-Lehmann centre with the exact interval of the signed-rank test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.stats.centre import Centre

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

EXACT_TO = 200
"""Beyond so many values the ranks by the normal distribution keep a confidence of 80 to 99 % to 0.0003."""
EXACT = "Hodges-Lehmann with the exact signed-rank interval"
NORMAL = "Hodges-Lehmann with the signed-rank interval by normal approximation"
ALL_AVERAGES_TO = 1500
"""Up to so many values all pairwise averages are formed (9 MB); beyond, they are counted and never stored."""


def hodges_lehmann(values: Sequence[float], confidence: float = 0.95) -> Centre:
    """Return the median of all pairwise averages (Walsh averages), with its distribution-free interval.

    The ends are the k-th smallest and k-th largest average, with the largest k whose interval still has the
    confidence; where even the whole range has not (below 6 values at 95 %), they are infinite.

    Args:
        values: One a block, at least one.
        confidence: Least coverage of the two-sided interval, 0 < confidence < 1.

    Source:
        J. L. Hodges, E. L. Lehmann, Ann. Math. Statist. 34 (1963) 598-611; M. Hollander, D. A. Wolfe,
        "Nonparametric Statistical Methods", 2nd ed. (1999), section 3.3.

    Limits:
        Exact for independent values with a symmetric distribution; with slow outliers on one side it is the
        typical value and not the mean.
    """
    import numpy as np

    ordered = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered) * (len(ordered) + 1) // 2
    rank, method = interval_rank(len(ordered), confidence)
    middle, *ends = _order_statistics(ordered, [(count + 1) // 2, *([rank] if rank else [])])
    low, high = ends[0] if rank else (-math.inf, math.inf)
    return Centre(sum(middle) / 2, low, high, method)


@lru_cache(maxsize=64)
def interval_rank(count: int, confidence: float) -> tuple[int, str]:
    """Return k, so that the k-th smallest and largest Walsh average of ``count`` values bound the interval.

    Returns:
        k, 0 where no interval has the confidence; and the name of the method.
    """
    tail = (1 - confidence) / 2
    if count > EXACT_TO:
        from scipy.special import ndtri

        spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return max(0, math.floor(count * (count + 1) / 4 + float(ndtri(tail)) * spread + 0.5)), NORMAL
    import numpy as np

    below = np.cumsum(signed_rank_chances(count))
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right")), EXACT


def signed_rank_chances(count: int) -> Numbers:
    """Return the null probability of each value 0 … n(n+1)/2 of the signed-rank sum of ``count`` values."""
    import numpy as np

    chances = np.zeros(count * (count + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, count + 1):
        chances[rank:] += chances[:-rank].copy()
        chances /= 2
    return chances


def _order_statistics(ordered: Numbers, ranks: Sequence[int]) -> list[tuple[float, float]]:
    """Return the k-th smallest and the k-th largest Walsh average for each k: exact mirrors of each other."""
    import numpy as np

    if len(ordered) > ALL_AVERAGES_TO:
        mirrored = -ordered[::-1]  # counted from its own end, so that swapped arms round alike
        return [(_counted(ordered, rank), -_counted(mirrored, rank)) for rank in ranks]
    first, second = np.triu_indices(len(ordered))
    averages = (ordered[first] + ordered[second]) / 2
    pairs = [(rank - 1, len(averages) - rank) for rank in ranks]
    parted = np.partition(averages, sorted({place for pair in pairs for place in pair}))
    return [(float(parted[low]), float(parted[high])) for low, high in pairs]


def _counted(ordered: Numbers, rank: int) -> float:
    """Return the Walsh average of a rank by halving its range, to the last bit but one."""
    import numpy as np

    at = np.arange(len(ordered))

    def at_most(value: float) -> int:
        last = np.searchsorted(ordered, 2 * value - ordered, side="right")
        return int(np.maximum(last - at, 0).sum())

    low, high = float(ordered[0]), float(ordered[-1])
    if at_most(low) >= rank:
        return low
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if at_most(middle) >= rank else (middle, high)
    return high
