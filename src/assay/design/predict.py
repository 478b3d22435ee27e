"""How many blocks will it take, and how many hours?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assay.design.site_floor import floor_known
from assay.design.stopping import (
    Judged,
    Metered,
    Standing,
    Wanted,
    each_of,
    floor_forbids,
    floor_to_come,
    half_width,
    judged,
)
from assay.model.figures.estimate import Verdict
from assay.model.machines.floor import SiteFloor
from assay.stats.centre import scatters
from assay.stats.mean import t_quantile
from assay.stats.verdicts.sequence import reach

MOST = 100_000
"""Whatever takes more blocks will not be measured."""


@dataclass(frozen=True)
class Prediction:
    """What a goal will take.

    Attributes:
        blocks: Blocks in all; ``None`` where no number would do.
        basis: Where the scatter comes from, a phrase.
    """

    blocks: int | None
    basis: str


def blocks_for_precision(spread: float, wanted: Wanted, *, floor: float = 0.0) -> int | None:
    """Return the blocks after which half the interval's width is at most the precision.

    Args:
        spread: Standard deviation of the loss of a block, a ratio.
        wanted: The goal, with a precision.
        floor: Half-width that no number of blocks takes away, a ratio.

    Source:
        n = (t s / h)^2, solved for n; for the headline ``spread`` is that of a normal sample with as wide an
        interval (``effective_spread``).
    """
    precision = wanted.goal.precision or math.inf
    if floor >= precision:
        return None
    room = math.sqrt(precision**2 - floor**2)
    return _first(
        lambda n: t_quantile(wanted.confidence, n - 1) * spread / math.sqrt(n) <= room,
        wanted.goal.minimum_blocks,
    )


def blocks_for_verdict(spread: float, wanted: Wanted, *, difference: float) -> int | None:
    """Return the blocks after which a difference (or its absence within the margin) is told for sure.

    Args:
        spread: Standard deviation of the log slowdown of a block.
        wanted: The goal.
        difference: Log slowdown that is there, or is to be told from zero.
    """
    room = max(abs(difference), wanted.margin - abs(difference))
    return _first(
        lambda n: reach(n, wanted.confidence) * spread / math.sqrt(n) < room, wanted.goal.minimum_blocks
    )


def predict(comparisons: Iterable[Sequence[Metered]], wanted: Wanted) -> Prediction:
    """Return what the slowest of the metrics will take, from the blocks so far; those of a comparison
    together.
    """
    needed = [_needed(one) for metrics in comparisons for one in judged(metrics, wanted)]
    if not needed or None in needed:
        return Prediction(None, "the blocks so far")
    return Prediction(max(n for n in needed if n is not None), "the blocks so far")


def predict_from_floor(
    floor: SiteFloor | None, names: Sequence[tuple[str, str, str]], wanted: Wanted
) -> Prediction:
    """Return what a goal will take by the scatter of the site's A/A campaigns, before the first block."""
    known = [entry for name in names if floor and (entry := floor.of(*name)) and entry.block is not None]
    if not known or len(known) < len(names):
        return Prediction(None, "not known before the first blocks")
    wanted = each_of(wanted, len(names))
    basis = "the scatter of this site's A/A campaigns"
    if wanted.goal.precision is None:
        needed = [blocks_for_verdict(one.block or 0.0, wanted, difference=0.0) for one in known]
    else:
        over, confidence = wanted.goal.sessions, wanted.confidence
        floors = [floor_known(floor, one.work, one.metric, one.workload) for one in known]
        halves = [one.half(over, confidence=confidence) if one else 0.0 for one in floors]
        needed = [
            blocks_for_precision(one.block or 0.0, wanted, floor=half)
            for one, half in zip(known, halves, strict=True)
        ]
    if None in needed:
        return Prediction(None, f"no number would do, by {basis}")
    return Prediction(max(n for n in needed if n is not None), basis)


def effective_spread(metered: Metered, wanted: Wanted) -> float:
    """Return the spread of a normal sample whose t interval is as wide as the loss's, a ratio."""
    count = len(metered.slowdowns)
    half = half_width(metered.estimate(wanted))
    if half is None or count < 2:
        return 0.0
    return half * math.sqrt(count) / t_quantile(wanted.confidence, count - 1)


def session_share(expected: int, before: int, left: int) -> int:
    """Return how many blocks the session under way takes: an even share of those that are left.

    Args:
        expected: Blocks in all.
        before: Blocks of the sessions before.
        left: Sessions left, that under way counted, >= 1.
    """
    return math.ceil((expected - before) / left)


def _needed(one: Judged) -> int | None:
    """Return how many blocks in all a metric takes, by its own confidence among the others; at least those it
    has.
    """
    count, least = len(one.metered.slowdowns), one.wanted.goal.minimum_blocks
    if one.standing is not Standing.GO_ON:
        return count
    if count < 2:
        return None
    if _lacks_no_more(one):
        return max(count, least)
    if one.wanted.goal.precision is not None:
        return _for_precision(one)
    more = one.estimate.blocks_more
    return None if more is None else max(count + more, least)


def _lacks_no_more(one: Judged) -> bool:
    """Tell whether a metric lacks the least blocks or sessions alone: it has a verdict, or will never have
    what is wanted.
    """
    if not scatters(one.metered.slowdowns) or floor_forbids(one.metered, one.wanted):
        return True
    return one.wanted.goal.precision is None and one.estimate.verdict is not Verdict.INCONCLUSIVE


def _for_precision(one: Judged) -> int | None:
    bare = replace(one.metered, sigma=None, labels=())  # what sessions so far share is not what all will
    spread, floor = effective_spread(bare, one.wanted), floor_to_come(one.metered, one.wanted)
    return blocks_for_precision(spread, one.wanted, floor=floor)


def _first(enough: Callable[[int], bool], least: int) -> int | None:
    """Return the smallest number of blocks from ``least`` on that is enough."""
    if enough(least):
        return least
    if not enough(MOST):
        return None
    below, above = least, MOST
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if enough(middle) else (middle, above)
    return above
