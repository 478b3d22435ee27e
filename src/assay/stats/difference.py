"""Did the loss change between two results?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from assay.stats.paired import loss_of
from assay.stats.welch import welch_half


@dataclass(frozen=True)
class Difference:
    """Loss of B minus loss of A (ratios), with its interval; ends are ``None`` below two blocks a side."""

    value: float
    low: float | None
    high: float | None


def loss_difference(a: Sequence[float], b: Sequence[float], *, confidence: float = 0.95) -> Difference | None:
    """Return how much more B loses than A, from one log slowdown a block of each.

    The standard errors of the two mean log slowdowns are carried to the losses by the derivative
    exp(-d), and the interval takes the degrees of freedom of Welch and Satterthwaite.

    Args:
        a: Log slowdowns of A's blocks.
        b: Log slowdowns of B's blocks.
        confidence: Coverage of the two-sided interval.

    Returns:
        ``None`` where a side has no block.

    Source:
        B. L. Welch, "The generalization of Student's problem", Biometrika 34 (1947) 28-35.

    Limits:
        The two results must be independent; what changed between them besides the platform (day,
        temperature, other load) is in the difference and not in its interval.
    """
    if not a or not b:
        return None
    value = loss_of(fmean(b)) - loss_of(fmean(a))
    if len(a) < 2 or len(b) < 2:
        return Difference(value, None, None)
    terms = [(math.exp(-2 * fmean(d)) * variance(d) / len(d), len(d) - 1) for d in (a, b)]
    half = welch_half(terms, confidence)
    return Difference(value, value - half, value + half)
