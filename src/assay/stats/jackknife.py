"""Intervals from leaving out one block at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.stats.mean import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


def half_width(values: Numbers, freedom: int, *, confidence: float) -> float | None:
    """Return the half-width of Student's interval of an estimate, by the delete-one jackknife.

    What a block does to both arms at once stays in it: the pairing needs no formula of its own.

    Args:
        values: The estimate from all blocks first, then without each of the B blocks in turn; NaN is "there
            is none".
        freedom: Degrees of freedom of the t interval.
        confidence: Coverage of the two-sided interval.

    Returns:
        ``None`` without freedom, or where an estimate is missing.

    Source:
        B. Efron, C. Stein, "The jackknife estimate of variance", Annals of Statistics 9 (1981) 586-596;
        J. W. Tukey, "Bias and confidence in not-quite large samples", Ann. Math. Stat. 29 (1958) 614.

    Limits:
        For smooth estimates (no medians); blocks must be independent.
    """
    import numpy as np

    without = values[1:]
    blocks = len(without)
    if freedom < 1 or blocks < 2 or not np.isfinite(values).all():
        return None
    spread = float(((without - without.mean()) ** 2).sum())
    return t_quantile(confidence, freedom) * math.sqrt((blocks - 1) / blocks * spread)


def sums(of_blocks: Numbers) -> Numbers:
    """Return the sum over all blocks, then without each block in turn.

    What is left without a block is added up anew, never the total less one: where one block holds nearly all
    of it, a difference would leave rounding alone.

    Args:
        of_blocks: What each block adds, along the last axis.
    """
    import numpy as np

    before, after = np.cumsum(of_blocks, axis=-1), np.cumsum(of_blocks[..., ::-1], axis=-1)[..., ::-1]
    without = np.zeros_like(before)
    without[..., 1:] += before[..., :-1]
    without[..., :-1] += after[..., 1:]
    return np.concatenate([before[..., -1:], without], axis=-1)
