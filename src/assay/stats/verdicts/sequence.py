"""An anytime-valid interval for the centre of blocks: it may be looked at after every block."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from assay.stats.centre import ROUNDING, mean_of, spread_of
from assay.stats.rank import hodges_lehmann

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

TIGHTEST_AT = 8
"""Blocks at which the part by t is tightest: about as many as a verdict on a loss of 3 % takes."""
STAKES = (0.15, 0.3, 0.6, 0.9)
"""Shares of the capital that are bet on either side, block by block, by the part by signed ranks."""
SHARE = 0.5
"""Share of the part by t in the evidence; the other is that of the signed ranks."""
METHOD = "confidence sequence of t and signed ranks, looked at after every block"
FAR = 1e6
"""So many ranges of the values away nothing more is learnt of what an infinite mean would be told."""
GRID, HALVINGS = 16, 26
"""Places between the centre and a mean that is refuted at which the outermost crossing is looked for; and its
digits.
"""


def _mixture(blocks: int, confidence: float = 0.95) -> float:
    """Return the variance of the effect size (mean over standard deviation) under the alternative.

    Source:
        S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Ann. Statist. 49 (2021) 1055-1080, section 3.5:
        the mixture that is tightest at a given time.
    """
    alarm = -2 * math.log(1 - confidence)
    return (alarm + math.log(alarm) + 1) / blocks


VARIANCE = _mixture(TIGHTEST_AT)
"""Of the effect size, the same for all levels of confidence: their intervals lie in each other."""


def confidence_sequence(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return an interval for the centre that holds at all looks together, whenever one stops.

    It is the hull of all centres against which the evidence (``Evidence``) is below 1 / (1 - confidence).

    Args:
        values: One a block, in the order in which they were measured.
        confidence: Chance that no interval of the whole sequence misses the centre.

    Returns:
        Its ends; infinite where there are too few values (below 5 at 95 %).

    Source:
        J. Ville, "Etude critique de la notion de collectif" (1939); see ``Evidence``.

    Limits:
        For independent values. What all blocks of one session share is not in it.
    """
    return _sequence(tuple(values), confidence)


@lru_cache(maxsize=1024)
def _sequence(values: tuple[float, ...], confidence: float) -> tuple[float, float]:
    upper = _upper(Evidence(values, confidence))
    return -_upper(Evidence([-value for value in values], confidence)), upper


def ever_refuted(values: Sequence[float], centre: float = 0.0, *, confidence: float = 0.95) -> bool:
    """Tell whether the evidence against a centre was ever enough: by the looks after every value, as long as
    there was any scatter.
    """
    import numpy as np

    if len(values) < 2:
        return False
    spread = np.maximum.accumulate(values) - np.minimum.accumulate(values)
    path = np.where(spread > ROUNDING, evidence_path(values, centre), 0.0)
    return bool(path.max() >= -math.log(1 - confidence))


def evidence_path(values: Sequence[float], centre: float = 0.0) -> Numbers:
    """Return the logarithm of the evidence against a centre after each of two or more values, the first's
    being 0.
    """
    import numpy as np

    counts = np.arange(1, len(values) + 1)
    away = np.asarray(values, dtype=np.float64) - centre
    means = np.cumsum(away) / counts
    squares = np.maximum(np.cumsum((away - away.mean()) ** 2) - counts * (means - away.mean()) ** 2, 0.0)
    grown = 1 + counts * VARIANCE
    with np.errstate(divide="ignore", invalid="ignore"):
        t_squared = np.where(means == 0, 0.0, counts * means**2 / squares)
        whole = np.where(
            np.isinf(t_squared), np.log(grown), np.log1p(t_squared) - np.log1p(t_squared / grown)
        )
    by_t = (counts * whole - np.log(grown)) / 2
    by_sign = np.concatenate([np.cumsum(side, axis=1) for side in _growth(_scores(values, centre))])
    by_rank = np.logaddexp.reduce(by_sign, axis=0) - math.log(len(by_sign))
    path = np.logaddexp(by_t + math.log(SHARE), by_rank + math.log(1 - SHARE))
    path[0] = 0.0
    return np.asarray(path)


def refutable(count: int, confidence: float = 0.95) -> bool:
    """Tell whether so many values can refute a centre at all: the sequence is finite then."""
    return _upper(Evidence([0.0] * count, confidence)) < math.inf


def reach(count: int, confidence: float) -> float:
    """Return the half-width after ``count`` blocks in standard errors of the mean, by the part by t alone.

    The sequence of values without outliers is about as wide, never wider.
    """
    freedom, grown = count - 1, 1 + count * VARIANCE
    ratio = math.exp(2 / count * (math.log(grown) / 2 - math.log(SHARE * (1 - confidence))))
    return math.sqrt(freedom * (ratio - 1) / (1 - ratio / grown)) if ratio < grown else math.inf


class Evidence:
    """What values tell against a centre: an e-value, whose mean is at most 1 if it is the centre.

    It is the average of two. By t: the Gaussian mixture of effect sizes with the right Haar measure on the
    scale. By signed ranks: capital that is bet on the sign of each block, half a fixed stake and half in
    proportion to the rank of its distance among those so far, averaged over stakes on either side; outliers
    cannot starve it.

    Attributes:
        values: One a block, in the order in which they were measured.
        wanted: Logarithm of the evidence from which a centre is refuted.

    Source:
        H. Wang, A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
        variance", arXiv 2310.03722; betting: I. Waudby-Smith, A. Ramdas, J. R. Stat. Soc. B 86 (2024) 1-27;
        that averages of e-values are e-values: V. Vovk, R. Wang, Ann. Statist. 49 (2021) 1736-1754.

    Limits:
        The part by t is exact for normal values, that by signed ranks for any that are symmetric about the
        centre.
    """

    def __init__(self, values: Sequence[float], confidence: float = 0.95) -> None:
        self.values = values
        self.wanted = -math.log(1 - confidence)

    @cached_property
    def _mean(self) -> float:
        return mean_of(self.values)

    @cached_property
    def _spread(self) -> float:
        return spread_of(self.values)

    def at(self, centre: float) -> float:
        """Return the logarithm of the evidence against a centre."""
        if len(self.values) < 2:
            return 0.0
        by_sign = [grown.sum(axis=1) for grown in _growth(_scores(self.values, centre))]
        return self._both(len(self.values), centre, by_sign)

    def expected(self, centre: float) -> Callable[[int], float]:
        """Return what gives the same after a number of blocks, if further ones scatter as these do."""
        grown = [side.mean(axis=1) for side in _growth(_scores(self.values, centre, whole=True))]
        return lambda blocks: self._both(blocks, centre, [blocks * side for side in grown])

    def _both(self, blocks: int, centre: float, by_sign: Sequence[Numbers]) -> float:
        ranks = [float(one) for side in by_sign for one in side]
        parts = [
            math.log(SHARE) + _by_t(blocks, self._mean - centre, self._spread),
            math.log((1 - SHARE) / len(ranks)) + _log_sum(ranks),
        ]
        return _log_sum(parts)


def _by_t(blocks: int, distance: float, spread: float) -> float:
    """Return the logarithm of the e-value by t of a mean at a distance from the centre in question."""
    grown = 1 + blocks * VARIANCE
    if spread == 0:
        whole = math.log(grown) if distance else 0.0
    else:
        t_squared = blocks * (distance / spread) ** 2 / (blocks - 1)
        whole = math.log1p(t_squared) - math.log1p(t_squared / grown)
    return (blocks * whole - math.log(grown)) / 2


def _scores(values: Sequence[float], centre: float, *, whole: bool = False) -> Numbers:
    """Return the signed score of each value, from -1 to 1: half the sign, half the rank of its distance so
    far.

    Args:
        values: In the order in which they were measured.
        centre: What distances are from.
        whole: By its rank among all.
    """
    import numpy as np

    away = np.asarray(values, dtype=np.float64) - centre
    distances = np.abs(away)
    if whole:
        ranks = np.searchsorted(np.sort(distances), distances) + 1
        return np.asarray(np.sign(away) * (1 + ranks / len(values)) / 2)
    return np.asarray(
        np.sign(away) * (1 + _ranks_so_far(distances.tolist()) / np.arange(1, len(values) + 1)) / 2
    )


def _ranks_so_far(distances: Sequence[float]) -> Numbers:
    """Return the rank of each distance among those up to it, from 1; of equal ones the lowest."""
    import numpy as np

    before: list[float] = []
    ranks = []
    for distance in distances:
        place = bisect_left(before, distance)
        before.insert(place, distance)
        ranks.append(place + 1)
    return np.array(ranks, dtype=np.float64)


def _growth(scores: Numbers) -> tuple[Numbers, Numbers]:
    """Return the logarithm of what each score does to the capital by each stake, on either side."""
    import numpy as np

    bets = np.outer(STAKES, scores)
    return np.log1p(bets), np.log1p(-bets)


def _log_sum(logs: Sequence[float]) -> float:
    """Return the logarithm of a sum, in any order the same."""
    most = max(logs)
    return most + math.log(math.fsum(math.exp(one - most) for one in logs))


def _upper(evidence: Evidence) -> float:
    """Return the largest centre that is not refuted, from Hodges-Lehmann's on; infinite where all are."""
    if len(evidence.values) < 2:
        return math.inf
    middle, span = hodges_lehmann(evidence.values).value, max(evidence.values) - min(evidence.values)
    if evidence.at(middle + (FAR * span or 1.0)) < evidence.wanted:
        return math.inf
    if span == 0:
        return middle
    step = span / 4
    while evidence.at(middle + step) < evidence.wanted:
        step *= 2
    return _outermost(lambda centre: evidence.at(centre) < evidence.wanted, middle, middle + step)


def _outermost(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the largest place between two where something holds: at ``high`` it does not; ``low`` where it
    nowhere does.
    """
    places = [low + (high - low) * at / GRID for at in range(GRID + 1)]
    last = max((at for at in range(1, GRID) if holds(places[at])), default=0)
    inner, outer = places[last], places[last + 1]
    for _ in range(HALVINGS):
        middle = inner + (outer - inner) / 2
        inner, outer = (middle, outer) if holds(middle) else (inner, middle)
    return inner
