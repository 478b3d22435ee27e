"""An anytime-valid interval for a mean: it may be looked at after every block."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.stats.centre import mean_of, spread_of

TIGHTEST_AT = 20
"""Blocks at which the sequence is tightest: about as many as a verdict on a loss of 1 % takes."""
METHOD = "t confidence sequence, looked at after every block"


def mixture(confidence: float) -> float:
    """Return the variance of the effect size (mean over standard deviation) under the alternative.

    Source:
        S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Ann. Statist. 49 (2021) 1055-1080, section 3.5:
        the mixture that is tightest at a given time.
    """
    alarm = -2 * math.log(1 - confidence)
    return (alarm + math.log(alarm) + 1) / TIGHTEST_AT


def confidence_sequence(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return an interval for the mean that holds at all looks together, whenever one stops.

    Args:
        values: One a block, in any order.
        confidence: Chance that no interval of the whole sequence misses the mean.

    Returns:
        Its ends; infinite where there are too few values (below 6 at 95 %).

    Source:
        H. Wang, A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
        variance", arXiv 2310.03722: the Gaussian mixture with the right Haar measure on the scale, inverted.

    Limits:
        For independent normal values. What all blocks of one session share is not in it.
    """
    if len(values) < 2:
        return -math.inf, math.inf
    centre = mean_of(values)
    half = reach(len(values), confidence) * spread_of(values) / math.sqrt(len(values))
    if math.isnan(half):  # no spread at all, and too few values to say how much there may be
        return -math.inf, math.inf
    return centre - half, centre + half


def reach(count: int, confidence: float) -> float:
    """Return the sequence's half-width after ``count`` blocks in standard errors of the mean."""
    freedom, grown = count - 1, 1 + count * mixture(confidence)
    ratio = math.exp(2 / count * (math.log(grown) / 2 - math.log(1 - confidence)))
    return math.sqrt(freedom * (ratio - 1) / (1 - ratio / grown)) if ratio < grown else math.inf


def e_value(values: Sequence[float], mean: float = 0.0, *, confidence: float = 0.95) -> float:
    """Return the evidence against a mean: its expectation is at most 1 if that is the mean.

    The sequence at a confidence of 1 - a holds all means whose e-value is below 1/a.

    Args:
        values: One a block, at least two with a spread.
        mean: The mean in question.
        confidence: Only chooses the mixture.
    """
    count, grown = len(values), 1 + len(values) * mixture(confidence)
    t_squared = count * ((mean_of(values) - mean) / spread_of(values)) ** 2 / (count - 1)
    return math.exp((count * math.log((1 + t_squared) / (1 + t_squared / grown)) - math.log(grown)) / 2)
