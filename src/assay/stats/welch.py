"""The interval of a difference of two means with different scatter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.stats.mean import t_quantile


def welch_half(variances: Sequence[tuple[float, int]], confidence: float) -> float:
    """Return the half-width of a difference of means.

    Args:
        variances: Of each mean its variance and its degrees of freedom.
        confidence: Coverage of the two-sided interval.

    Source:
        B. L. Welch, "The generalization of Student's problem", Biometrika 34 (1947) 28-35.
    """
    total = math.fsum(variance for variance, _ in variances)
    if total == 0:
        return 0.0
    freedom = total**2 / math.fsum(variance**2 / df for variance, df in variances)
    return t_quantile(confidence, freedom) * math.sqrt(total)
