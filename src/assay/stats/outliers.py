"""Which machine is unlike the others of its kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

FEWEST = 5
"""Machines below which none is called an outlier: half of the others may be as far."""
FAR = 3.5
"""Robust standard deviations from the median beyond which a machine is an outlier.

Source: B. Iglewicz, D. C. Hoaglin, "How to Detect and Handle Outliers" (1993), section 3.3.
"""
MAD_SIGMA = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""


def outliers(
    values: Mapping[str, float], errors: Mapping[str, float | None], *, least: float
) -> dict[str, float]:
    """Return the machines that are far from the median of the others, each with that median.

    A machine is far where its distance is more than ``FAR`` times what the others scatter by and its own
    value is uncertain by, and more than a distance that matters.

    Args:
        values: A value for each machine, log units.
        errors: The standard error of each value, from its own blocks; ``None`` is not known.
        least: Smallest distance that matters, log units, 0 or more.

    Limits:
        Where more than half of the machines are unlike the rest, the rest are named.
    """
    if len(values) < FEWEST:
        return {}
    found = {}
    for name, value in values.items():
        others = [other for one, other in values.items() if one != name]
        centre = median(others)
        spread = MAD_SIGMA * median(abs(other - centre) for other in others)
        far = FAR * math.hypot(spread, errors.get(name) or 0.0)
        if abs(value - centre) > max(far, least):
            found[name] = centre
    return found
