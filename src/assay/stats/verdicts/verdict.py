"""What an interval of the loss says, and how many more blocks would make it say something."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from assay.model.figures.estimate import Estimate, Matters, Verdict
from assay.stats.centre import Centre, scatters
from assay.stats.verdicts.sequence import Evidence

MOST_BLOCKS_MORE = 10_000
"""Beyond this many further blocks the honest answer is that more blocks do not help."""
FIRST_LOOK = 0.7
"""Of the blocks after which evidence that grows evenly would be enough, those at whose end it first is, in
the median: looked at after every block, its ups count (the simulations: ``docs/evidence/forecast.md``).
"""
CALLED = (Verdict.LOSS, Verdict.GAIN)


def verdict_of(low: float, high: float, margin: float) -> Verdict:
    """Return what an interval of the loss says: a side of zero first, then the margin."""
    if low > 0:
        return Verdict.LOSS
    if high < 0:
        return Verdict.GAIN
    if -margin <= low and high <= margin:
        return Verdict.EQUIVALENT
    return Verdict.INCONCLUSIVE


def matters_of(estimate: Estimate, margin: float) -> Matters | None:
    """Return whether what was found matters to the reader, by where its interval lies to the margin.

    Returns:
        ``YES`` with the whole interval beyond the margin, ``NO`` within it, ``MAYBE`` where it straddles it;
        ``None`` without a verdict.
    """
    if estimate.verdict is Verdict.EQUIVALENT:
        return Matters.NO
    if estimate.verdict not in CALLED or estimate.low is None or estimate.high is None:
        return None
    least, most = sorted((abs(estimate.low), abs(estimate.high)))
    if most <= margin:
        return Matters.NO
    return Matters.YES if least > margin else Matters.MAYBE


def within_margin(estimate: Estimate, margin: float) -> bool:
    """Tell whether there is a loss or a gain that does not matter: its whole interval is within
    the margin.
    """
    return estimate.verdict in CALLED and matters_of(estimate, margin) is Matters.NO


def blocks_more(
    values: Sequence[float], centre: Centre, *, confidence: float, margin: float, floor: float = 0.0
) -> int | None:
    """Return the further blocks after which a look would first bring a verdict, if they are like those so
    far: the median.

    Args:
        values: Log slowdown of each block.
        centre: The headline.
        confidence: Coverage of intervals.
        margin: Loss that does not matter, a ratio below 1.
        floor: Half-width that no number of blocks takes away, log units.

    Returns:
        ``None`` where not even ``MOST_BLOCKS_MORE`` would.
    """
    if not scatters(values):
        return None
    evidence = Evidence(sorted(values), confidence)  # in any order the same

    def against(at: float) -> Callable[[int], bool]:
        """Return whether so many blocks would refute a centre, and all beyond it, with the floor in the
        interval.
        """
        room = (at - centre.value) ** 2 - floor**2
        if room <= 0:
            return lambda _: False
        expected = evidence.expected(centre.value + math.copysign(math.sqrt(room), at - centre.value))
        return lambda blocks: expected(blocks) >= evidence.wanted

    zero, ends = against(0.0), (-math.log1p(margin), -math.log1p(-margin))
    inside = [against(end) for end in ends] if ends[0] < centre.value < ends[1] else []

    def decided(blocks: int) -> bool:
        return zero(blocks) or (bool(inside) and all(end(blocks) for end in inside))

    least = len(values)
    if not decided(least + MOST_BLOCKS_MORE):
        return None
    below, enough = least, least + MOST_BLOCKS_MORE
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if decided(middle) else (middle, enough)
    return math.ceil(FIRST_LOOK * (enough - least))
