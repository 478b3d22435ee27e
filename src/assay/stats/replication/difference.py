"""Did the loss change between two results?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.model.figures.estimate import Estimate
from assay.stats.replication.paired import OPEN

FEW = "too few blocks"
NO_SCATTER = "no scatter"


@dataclass(frozen=True)
class Difference:
    """Loss of B minus loss of A (ratios), with its interval.

    Attributes:
        value: The difference.
        low: Lower end of its interval; ``None`` where a side has none to judge by.
        high: Upper end, likewise.
        reason: Why there is no interval: ``FEW`` or ``NO_SCATTER``; ``None`` where there is one.
    """

    value: float
    low: float | None
    high: float | None
    reason: str | None = None

    @property
    def seen(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def loss_difference(a: Estimate, b: Estimate) -> Difference | None:
    """Return how much more B loses than A: the difference of the two estimates, by the method of variance
    estimates recovery.

    Each end comes from the ends of the two intervals, so that the interval is as uneven as they are, and
    holds what they
    hold: outliers, sessions, a site's floor.

    Args:
        a: Loss of A.
        b: Loss of B, at the same confidence.

    Returns:
        ``None`` where a side has no loss.

    Source:
        G. Y. Zou, A. Donner, "Construction of confidence limits about effect measures", Stat. Med. 27 (2008)
        1693-1702; the coverage: ``docs/evidence/compare.md``.

    Limits:
        The two results must be independent; what changed between them besides the platform (day,
        temperature, other load) is in the difference and in its interval only as far as it is in theirs.
    """
    if a.loss is None or b.loss is None:
        return None
    value = b.loss - a.loss
    if not (_scatters(a) and _scatters(b)):
        return Difference(value, None, None, NO_SCATTER)
    if a.low is None or a.high is None or b.low is None or b.high is None or not (tells(a) and tells(b)):
        return Difference(value, None, None, FEW)
    below = math.hypot(b.loss - b.low, a.high - a.loss)
    above = math.hypot(b.high - b.loss, a.loss - a.low)
    return Difference(value, value - below, value + above)


def tells(one: Estimate) -> bool:
    """Tell whether an interval is one by which may be judged: it was not looked at too early, and knows of
    noise.
    """
    return not one.method.endswith(OPEN) and _scatters(one)


def _scatters(one: Estimate) -> bool:
    """Tell whether blocks know of their noise."""
    return all(doubt.code != "no-scatter" for doubt in one.doubts)
