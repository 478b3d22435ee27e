"""The ratio of two totals."""

from __future__ import annotations

import math

from assay.stats.centre import Centre, Values, mean_of
from assay.stats.mean import t_quantile

METHOD = "ratio of totals with Fieller's interval"


def ratio_of_totals(treatment: Values, baseline: Values, confidence: float = 0.95) -> Centre:
    """Return sum(treatment) / sum(baseline), paired by block.

    Args:
        treatment: One value a block.
        baseline: One value a block, of the same blocks.
        confidence: Coverage of the two-sided interval.

    Returns:
        The ratio; its ends are infinite below two blocks, and where the baseline's total could be zero.

    Raises:
        ValueError: Not as many values on both sides, or none.

    Source:
        E. C. Fieller, "Some problems in interval estimation", J. R. Statist. Soc. B 16 (1954) 175-185.

    Limits:
        For normal values. Large blocks weigh more than small ones: a ratio of totals, not a typical ratio.
    """
    import numpy as np

    if len(treatment) != len(baseline) or not len(baseline):
        msg = f"expected as many values on both sides, got {len(treatment)} and {len(baseline)}"
        raise ValueError(msg)
    over, under = mean_of(treatment), mean_of(baseline)
    ratio = over / under
    if len(baseline) < 2:
        return Centre(ratio, -math.inf, math.inf, METHOD)
    # in residuals of the ratio the quadratic loses nothing where both sides move together
    residuals = np.asarray(treatment) - ratio * np.asarray(baseline)
    scale = t_quantile(confidence, len(baseline) - 1) ** 2 / (len(baseline) * (len(baseline) - 1))
    parts = np.asarray(baseline) - under
    rr, rb, bb = (
        scale * math.fsum((a * b).tolist())
        for a, b in ((residuals, residuals), (residuals, parts), (parts, parts))
    )
    lead, root = under**2 - bb, rb * rb + (under**2 - bb) * rr
    if lead <= 0:
        return Centre(ratio, -math.inf, math.inf, METHOD)
    width = math.sqrt(max(root, 0.0))
    return Centre(ratio, ratio + (-rb - width) / lead, ratio + (-rb + width) / lead, METHOD)
