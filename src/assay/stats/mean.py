"""The mean with Student's interval."""

from __future__ import annotations

import math

from assay.stats.centre import Centre, Values, mean_of, spread_of

METHOD = "mean with Student's t interval"


def student(values: Values, confidence: float = 0.95) -> Centre:
    """Return the mean of one or more values; below two the interval is infinite.

    Args:
        values: One a block.
        confidence: Coverage of the two-sided interval, 0 < confidence < 1.

    Source:
        Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.

    Limits:
        Exact for independent normal values; slow outliers make it wide.
    """
    mean = mean_of(values)
    if len(values) < 2:
        return Centre(mean, -math.inf, math.inf, METHOD)
    half = t_quantile(confidence, len(values) - 1) * spread_of(values, mean) / math.sqrt(len(values))
    return Centre(mean, mean - half, mean + half, METHOD)


def t_quantile(confidence: float, freedom: float) -> float:
    """Return the half-width of a two-sided t interval in standard errors."""
    from scipy.special import stdtrit  # 0.1 s: only where an interval is wanted

    return float(stdtrit(freedom, 0.5 + confidence / 2))
