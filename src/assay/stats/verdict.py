"""What an interval of the loss says, and how many more blocks would make it say something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.estimate import Estimate, Verdict
from assay.stats.centre import mean_of, spread_of
from assay.stats.sequence import reach

MOST_BLOCKS_MORE = 10_000
"""Beyond this many further blocks the honest answer is that more blocks do not help."""


@dataclass(frozen=True)
class Look:
    """One look at the blocks so far.

    Attributes:
        low: Lower end of the interval from which the verdict is taken, log units.
        high: Its upper end.
        blocks: Number of blocks.
        mean: Mean log slowdown.
        spread: Standard deviation over blocks.
        floor: Half-width that no number of blocks takes away.
    """

    low: float
    high: float
    blocks: int
    mean: float
    spread: float
    floor: float

    @classmethod
    def of(cls, values: Sequence[float], low: float, high: float, *, floor: float) -> Look:
        """Return the look at two or more values, its interval widened by the floor in quadrature."""
        mean = mean_of(values)
        wide_low, wide_high = mean - math.hypot(mean - low, floor), mean + math.hypot(high - mean, floor)
        ends = (wide_low, wide_high) if floor else (low, high)
        return cls(*ends, len(values), mean, spread_of(values), floor)


def verdict_of(low: float, high: float, margin: float) -> Verdict:
    """Return what an interval of the loss says: a side of zero first, then the margin."""
    if low > 0:
        return Verdict.LOSS
    if high < 0:
        return Verdict.GAIN
    if -margin <= low and high <= margin:
        return Verdict.EQUIVALENT
    return Verdict.INCONCLUSIVE


def within_margin(estimate: Estimate, margin: float) -> bool:
    """Tell whether there is a loss or a gain that does not matter: its whole interval is within the margin."""
    if estimate.verdict not in (Verdict.LOSS, Verdict.GAIN) or estimate.low is None or estimate.high is None:
        return False
    return -margin <= estimate.low and estimate.high <= margin


def blocks_more(look: Look, confidence: float, *, margin: float) -> int | None:
    """Return the fewest further blocks that would bring a verdict if mean and spread stayed as they are.

    Returns:
        ``None`` where not even ``MOST_BLOCKS_MORE`` would.
    """

    def decided(blocks: int) -> bool:
        half = math.hypot(reach(blocks, confidence) * look.spread / math.sqrt(blocks), look.floor)
        low, high = -math.expm1(half - look.mean), -math.expm1(-half - look.mean)
        return verdict_of(low, high, margin) is not Verdict.INCONCLUSIVE

    if look.spread == 0 or not decided(look.blocks + MOST_BLOCKS_MORE):
        return None
    below, enough = look.blocks, look.blocks + MOST_BLOCKS_MORE
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if decided(middle) else (middle, enough)
    return enough - look.blocks
