"""How many blocks will it take, and how many hours?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assay.design.stopping import Metered, Standing, Wanted, floor_to_come, half_width, standing
from assay.model.floor import SiteFloor
from assay.stats.centre import mean_of, spread_of
from assay.stats.components import floor_half
from assay.stats.mean import t_quantile
from assay.stats.sequence import reach

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


def predict(metrics: Iterable[Metered], wanted: Wanted) -> Prediction:
    """Return what the slowest of the metrics will take, from the blocks so far."""
    needed = [_needed(metered, wanted) for metered in metrics]
    if not needed or None in needed:
        return Prediction(None, "the blocks so far")
    return Prediction(max(n for n in needed if n is not None), "the blocks so far")


def predict_from_floor(
    floor: SiteFloor | None, names: Sequence[tuple[str, str]], wanted: Wanted
) -> Prediction:
    """Return what a goal will take by the scatter of the site's A/A campaigns, before the first block."""
    known = [found for name in names if floor and (found := floor.of(*name)) and found.block is not None]
    if not known or len(known) < len(names):
        return Prediction(None, "not known before the first blocks")
    basis = "the scatter of this site's A/A campaigns"
    if wanted.goal.precision is None:
        needed = [blocks_for_verdict(one.block or 0.0, wanted, difference=0.0) for one in known]
    else:
        over, confidence = wanted.goal.sessions, wanted.confidence
        half = {one: floor_half(one.session or 0.0, over, confidence=confidence) for one in known}
        needed = [blocks_for_precision(one.block or 0.0, wanted, floor=half[one]) for one in known]
    return Prediction(None if None in needed else max(n for n in needed if n is not None), basis)


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


def _needed(metered: Metered, wanted: Wanted) -> int | None:
    if standing(metered, wanted) is not Standing.GO_ON:
        return len(metered.slowdowns)
    if len(metered.slowdowns) < 2:
        return None
    if wanted.goal.precision is not None:
        bare = replace(metered, sigma=None)  # the floor of the sessions so far is not that of all
        spread, floor = effective_spread(bare, wanted), floor_to_come(metered, wanted)
        return blocks_for_precision(spread, wanted, floor=floor)
    logs = metered.slowdowns
    return blocks_for_verdict(spread_of(logs), wanted, difference=mean_of(logs))


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
