"""The interval of a share."""

from __future__ import annotations

import math

from scipy.stats import norm


def wilson(hits: int, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    Args:
        hits: How often it was so, from 0 to ``trials``.
        trials: How often it was looked at.
        confidence: Two-sided confidence, from 0 to 1.

    Returns:
        Lower and upper end; 0 and 1 where nothing was looked at.

    Source: Wilson 1927, doi:10.1080/01621459.1927.10502953.
    Limits: the draws are independent and from the same population.
    """
    if trials == 0:
        return 0.0, 1.0
    z = float(norm.ppf((1 + confidence) / 2))
    share = hits / trials
    middle = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    whole = 1 + z**2 / trials
    return (middle - half) / whole, (middle + half) / whole
