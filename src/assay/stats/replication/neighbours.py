"""Are neighbouring blocks alike? Then they are fewer than they look."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.model.doubt import Raised, raised
from assay.model.figures.estimate import Estimate
from assay.stats.centre import Values, mean_of, scatters
from assay.stats.groups import Keys, codes_of, grouped
from assay.stats.replication.paired import paired_loss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

ENOUGH = 10
"""Blocks from which it is looked at."""
RARE = 0.01
"""Chance below which independent blocks are so alike."""


def lag1_correlation(values: Values, sessions: Keys) -> float | None:
    """Return the lag-1 correlation of the ranks of blocks where it is more than chance gives; else ``None``.

    By how much sessions differ does not enter: each block is ranked by its distance from the mean of its
    session.

    Args:
        values: Log slowdown of each block, in the order in which they were measured.
        sessions: The session of each: the last block of one and the first of the next are no neighbours.

    Source:
        R. L. Anderson, Ann. Math. Statist. 13 (1942) 1-13: mean -1/n and variance about 1/n where all are
        independent; of several sessions, from whose means all is counted, the mean is -sessions/n. By ranks,
        so that single outliers do not decide.
    """
    import numpy as np

    if len(values) < ENOUGH or not scatters(values):
        return None
    codes = codes_of(sessions)
    inside = _inside(np.asarray(values), codes)
    if not scatters(inside):
        return None
    away = _ranks(inside) - (len(values) + 1) / 2
    held = np.flatnonzero(codes[1:] == codes[:-1]) + 1
    if len(held) < ENOUGH - 1:
        return None
    correlation = float((away[held] * away[held - 1]).sum() / (away**2).mean() / len(held))
    surprise = (correlation + (int(codes.max()) + 1) / len(values)) * math.sqrt(len(held))
    return correlation if math.erfc(surprise / math.sqrt(2)) / 2 < RARE else None


def _inside(values: Numbers, codes: Places) -> Numbers:
    """Return the distance of each block from the mean of its session."""
    import numpy as np

    means = np.array([mean_of(group) for group in grouped(values, codes)])
    return np.asarray(values - means[codes])


def _ranks(values: Numbers) -> Numbers:
    """Return the rank of each value, from 1 on; equal ones share the mean of theirs."""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def batch_means(values: Values, sessions: Keys, size: int = 2) -> list[float]:
    """Return the means of so many neighbouring blocks each, inside their sessions; what is left over is left
    out.

    Source:
        Batch means: A. M. Law, "Simulation Modeling and Analysis", 5th ed. (2015), section 9.5.3.
    """
    return [
        mean_of(group[at : at + size])
        for group in map(list, grouped(values, sessions))
        for at in range(0, len(group) - size + 1, size)
    ]


def neighbour_doubts(values: Values, sessions: Keys, shown: Estimate) -> Iterator[Raised]:
    """Yield that neighbouring blocks are alike, with the loss by batch means beside it.

    Args:
        values: As of ``lag1_correlation``.
        sessions: Likewise.
        shown: The loss that is shown of them: an interval that is as wide as that of the batch means, for one
            because it is over sessions, has in it what neighbours share, and nothing is said.
    """
    correlation = lag1_correlation(values, sessions)
    if correlation is None:
        return
    batches = paired_loss(batch_means(values, sessions), confidence=shown.confidence)
    if shown.low is None or _half(shown) >= _half(batches):
        return
    yield raised("blocks-alike", correlation=correlation, loss=batches.loss, half=_half(batches))


def _half(estimate: Estimate) -> float:
    return 0.0 if estimate.low is None or estimate.high is None else (estimate.high - estimate.low) / 2
