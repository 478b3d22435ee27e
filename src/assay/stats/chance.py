"""How many of many intervals miss the truth by chance alone."""

from __future__ import annotations

from math import exp, lgamma, log

RARE = 0.01
"""More hits than that are chance's this often at most."""


def most_by_chance(intervals: int, confidence: float) -> int:
    """Return how many of a number of intervals may leave out what is true before chance no longer explains it.

    Args:
        intervals: How many there are, >= 0.
        confidence: Coverage of each, 0 < confidence < 1.

    Returns:
        The smallest number that is exceeded in at most 1 % of all such sets, by the binomial distribution.

    Limits:
        Intervals must be independent. Those of one job's rates and times are not, and miss together: more of
        them may be chance's than this says.
    """
    miss = 1 - confidence
    ways = lgamma(intervals + 1)
    left, most = 1.0, -1
    while left > RARE:
        most += 1
        of_them = ways - lgamma(most + 1) - lgamma(intervals - most + 1)
        left -= exp(of_them + most * log(miss) + (intervals - most) * log(confidence))
    return most
