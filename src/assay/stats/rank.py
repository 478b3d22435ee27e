"""The Hodges-Lehmann centre with the exact interval of the signed-rank test."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from assay.stats.centre import Centre, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

EXACT_TO = 200
"""Beyond so many values the ranks by the normal distribution keep a confidence of 80 to 99 % to 0.0003."""
EXACT = "Hodges-Lehmann with the exact signed-rank interval"
NORMAL = "Hodges-Lehmann with the signed-rank interval by normal approximation"
ALL_AVERAGES_TO = 1500
"""Up to so many values pairwise averages are formed, all of them at most (9 MB); beyond, they are counted and
never stored.
"""
FEW_AVERAGES = 200_000
"""Averages that are looked at one by one, 8 MB."""
SAMPLE, GUESSED = 700, 0.0002
"""Values that a guess is made of, and how far off it may be, a share of all averages."""
NARROWED = 0.001
"""Share of a range, on either side, to which it is narrowed if averages are spread evenly."""
NARROWED_FROM = 200
"""From so many values on only the averages about a rank are formed."""
QUANTILES, ABOUT = 64, 0.03
"""Values that tell where a rank is, and the share of all averages, on either side, that is formed there."""
ROUNDING = 1e-12
"""Far above what an average is rounded by, a share of the largest value."""


def hodges_lehmann(values: Values, confidence: float = 0.95) -> Centre:
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
        spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        away = NormalDist().inv_cdf(tail) * spread
        return max(0, math.floor(count * (count + 1) / 4 + away + 0.5)), NORMAL
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

    if len(ordered) > ALL_AVERAGES_TO:
        # the other end is counted from itself, so that swapped arms round alike
        sides = Averages(ordered), Averages(-ordered[::-1])
        return [(sides[0].of_rank(rank), -sides[1].of_rank(rank)) for rank in ranks]
    count = len(ordered) * (len(ordered) + 1) // 2
    pairs = [(rank - 1, count - rank) for rank in ranks]
    found = _narrowed(ordered, {place for pair in pairs for place in pair})
    return [(found[low], found[high]) for low, high in pairs]


def _all_formed(ordered: Numbers, places: Collection[int]) -> dict[int, float]:
    """Return the Walsh averages at some places of their order, counted from 0, of all of them."""
    import numpy as np

    first, second = np.triu_indices(len(ordered))
    wanted = sorted(places)
    parted = np.partition((ordered[first] + ordered[second]) / 2, wanted)
    return {place: float(parted[place]) for place in wanted}


def _narrowed(ordered: Numbers, places: Collection[int]) -> dict[int, float]:
    """Return what ``_all_formed`` does, to the last bit: only the averages near a place are formed where a
    few quantiles of the values tell which these are.
    """
    if len(ordered) < NARROWED_FROM:
        return _all_formed(ordered, places)
    import numpy as np

    some = ordered[np.linspace(0, len(ordered) - 1, QUANTILES).round().astype(int)]
    first, second = np.triu_indices(len(some))
    guesses = np.sort((some[first] + some[second]) / 2)
    found: dict[int, float] = {}
    for place in places:
        average = _near(ordered, guesses, place)
        if average is None:
            return _all_formed(ordered, places)
        found[place] = average
    return found


def _near(ordered: Numbers, guesses: Numbers, place: int) -> float | None:
    """Return the average at a place if it is where some averages, ascending, let it be looked for.

    All averages below the range that is looked through are below its lower end, and those above it above its
    upper end, so that an average between these ends has its place among all. ``None``: the place is not in
    that range, or the average is 0, whose sign depends on which are formed.
    """
    import numpy as np

    share = place / (len(ordered) * (len(ordered) + 1) / 2)
    at = np.clip(np.array([share - ABOUT, share + ABOUT]) * len(guesses), 0, len(guesses) - 1)
    low, high = guesses[at.astype(int)].tolist()
    own, slack = np.arange(len(ordered)), ROUNDING * float(np.abs(ordered[[0, -1]]).max())
    begins = np.maximum(np.searchsorted(ordered, 2 * low - slack - ordered), own)
    ends = np.maximum(np.searchsorted(ordered, 2 * high + slack - ordered, side="right"), begins)
    before, partners = int((begins - own).sum()), ends - begins
    inside = int(partners.sum())
    if not before <= place < before + inside:
        return None
    first = np.repeat(own, partners)
    second = np.arange(inside) + np.repeat(begins - np.cumsum(partners) + partners, partners)
    average = float(np.partition((ordered[first] + ordered[second]) / 2, place - before)[place - before])
    return average if average != 0 and low <= average <= high else None


@dataclass(frozen=True, eq=False)
class AtMost:
    """The averages that are at most a value.

    Attributes:
        value: The value.
        count: How many averages there are.
        last: Of each value the end of its partners in the order of values: averages of a value and itself or
            a larger one are at most the value before that place; its own place where it has none.
    """

    value: float
    count: int
    last: Places


class Averages:
    """All pairwise averages of values, of which none is stored; values that are equal are held once.

    Args:
        ordered: Ascending.
    """

    def __init__(self, ordered: Numbers) -> None:
        import numpy as np

        self._ordered = ordered
        begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        self.values, self.times = ordered[begins], np.diff(np.append(begins, len(ordered)))
        self.places = np.arange(len(self.values))
        self._before = np.concatenate([[0], np.cumsum(self.times)])
        self._twice = self.times * (self.times - 1) // 2

    @property
    def all(self) -> AtMost:
        """All averages."""
        import numpy as np

        values, count = len(self.values), int(self._before[-1])
        return AtMost(float(self.values[-1]), count * (count + 1) // 2, np.full(values, values))

    @property
    def least(self) -> AtMost:
        """Those of the least value with itself."""
        last = self.places.copy()
        last[0] = 1
        return AtMost(float(self.values[0]), int(self.times[0] * (self.times[0] + 1) // 2), last)

    def at_most(self, value: float) -> AtMost:
        """Return the averages that are at most a value."""
        import numpy as np

        last = np.maximum(np.searchsorted(self.values, 2 * value - self.values, side="right"), self.places)
        pairs = self.times * (self._before[last] - self._before[:-1])  # those of a value and itself twice
        return AtMost(value, int(pairs.sum() - self._twice[last > self.places].sum()), last)

    def of_rank(self, rank: int) -> float:
        """Return the average of a rank, to the last bit but one: the range that holds it is narrowed until
        few are left in it, which are then looked at one by one.
        """
        low, high = self.least, self.all
        if low.count >= rank:
            return low.value
        aims = _guesses(self._ordered, rank)
        while int((high.last - low.last).sum()) > FEW_AVERAGES:
            if not low.value < _half(low, high) < high.value:
                return high.value
            for middle in aims:
                if low.value < middle < high.value:
                    found = self.at_most(middle)
                    low, high = (low, found) if found.count >= rank else (found, high)
            aims = _aims(low, high, rank)
        return self._of_few(low, high, rank)

    def _of_few(self, low: AtMost, high: AtMost, rank: int) -> float:
        """Return the average of a rank that is above one value and at most another."""
        import numpy as np

        partners = high.last - low.last
        first = np.repeat(self.places, partners)
        inside = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
        second = np.repeat(low.last, partners) + inside
        times = self.times[first] * self.times[second] - np.where(first == second, self._twice[first], 0)
        a, b, wanted = self.values[first], self.values[second], rank - low.count
        below, enough = low.value, high.value
        while below < (middle := below + (enough - below) / 2) < enough:
            under = b <= 2 * middle - a
            count = int(times[under].sum())
            if count >= wanted:
                enough, kept = middle, under
            else:
                below, wanted, kept = middle, wanted - count, ~under
            a, b, times = a[kept], b[kept], times[kept]
        return enough


def _guesses(ordered: Numbers, rank: int) -> list[float]:
    """Return where the average of a rank is by some of the values, a little below and a little above."""
    import numpy as np

    some = ordered[np.linspace(0, len(ordered) - 1, SAMPLE).round().astype(int)]
    first, second = np.triu_indices(len(some))
    averages = (some[first] + some[second]) / 2
    share = rank / (len(ordered) * (len(ordered) + 1) / 2)
    places = np.clip([(share + away) * len(averages) for away in (-GUESSED, GUESSED)], 0, len(averages) - 1)
    ends: list[float] = np.partition(averages, places.astype(int))[places.astype(int)].tolist()
    return ends


def _aims(low: AtMost, high: AtMost, rank: int) -> list[float]:
    """Return where the average of a rank is if averages are spread evenly, a little below and a little above,
    and, in case they are not, the middle.
    """
    share, wide = (rank - low.count) / (high.count - low.count), high.value - low.value
    return [low.value + wide * (share - NARROWED), low.value + wide * (share + NARROWED), _half(low, high)]


def _half(low: AtMost, high: AtMost) -> float:
    return low.value + (high.value - low.value) / 2
