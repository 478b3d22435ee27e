"""Rates, efficiencies and the best number of workers of a scaling curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.explain.scaling.points import ScalePoint
from assay.stats.mean import student

ALIKE = 0.02
"""Rates this close are alike where the blocks don't tell."""
MOST_BEHIND = 0.05
"""A count further behind the best one is not called as good, however wide its interval."""


@dataclass(frozen=True)
class CurvePoint:
    """A scaling curve at one number of workers; ends are ``None`` below two blocks.

    Attributes:
        workers: Workers at once.
        blocks: Blocks in which it was measured.
        rate: Geometric mean over blocks, work per second of all workers together.
        low: Lower end of its interval.
        high: Upper end.
        efficiency: Rate per worker over that at the smallest count; 1.0 scales perfectly.
        efficiency_low: Lower end of its interval, paired by block.
        efficiency_high: Upper end.
    """

    workers: int
    blocks: int
    rate: float
    low: float | None
    high: float | None
    efficiency: float
    efficiency_low: float | None
    efficiency_high: float | None


def curve_points(points: Sequence[ScalePoint], *, confidence: float = 0.95) -> tuple[CurvePoint, ...]:
    """Return the curve, fewest workers first.

    Args:
        points: Rates, any order, one a worker count and block.
        confidence: Coverage of the intervals.
    """
    counts = sorted({point.workers for point in points})
    return tuple(_point(points, count, counts[0], confidence) for count in counts)


def best_workers(points: Sequence[ScalePoint], *, confidence: float = 0.95) -> int:
    """Return the smallest number of workers whose rate is not worse than the highest one within its interval.

    The difference to the highest rate is paired by block; below two common blocks, rates within 2 % are
    alike.

    Args:
        points: Rates of at least one worker count.
        confidence: Coverage of the interval of the difference.

    Limits: with noisy blocks few workers look as good as many; none is named that is more than 5 % behind.
    """
    curve = curve_points(points, confidence=confidence)
    top = max(curve, key=lambda point: point.rate).workers
    return next(c.workers for c in curve if c.workers == top or _as_good(points, c.workers, top, confidence))


def _as_good(points: Sequence[ScalePoint], count: int, top: int, confidence: float) -> bool:
    behind = _paired(points, top, count)
    if not behind:
        return False
    centre = student(behind, confidence)
    if not centre.finite:
        return centre.value <= ALIKE
    return centre.low <= 0 and centre.value <= MOST_BEHIND


def _paired(points: Sequence[ScalePoint], count: int, other: int) -> list[float]:
    """Return log(rate at ``count`` / rate at ``other``) of each block that has both."""
    here, there = (_by_block(points, workers) for workers in (count, other))
    return [math.log(here[block] / there[block]) for block in sorted(here) if block in there]


def _by_block(points: Iterable[ScalePoint], workers: int) -> dict[int, float]:
    """Return the rate of each block; the geometric mean where a block measured it twice."""
    log_rates: dict[int, list[float]] = {}
    for point in points:
        if point.workers == workers:
            log_rates.setdefault(point.block, []).append(math.log(point.rate))
    return {block: math.exp(math.fsum(logs) / len(logs)) for block, logs in log_rates.items()}


def _point(points: Sequence[ScalePoint], count: int, least: int, confidence: float) -> CurvePoint:
    rates = _by_block(points, count)
    centre = student([math.log(rate) for _, rate in sorted(rates.items())], confidence)
    per_worker = [one - math.log(count / least) for one in _paired(points, count, least)]
    if not per_worker:  # no block has both: the means are compared
        base = student([math.log(rate) for rate in _by_block(points, least).values()], confidence)
        per_worker = [centre.value - base.value - math.log(count / least)]
    scaled = student(per_worker, confidence)
    low, high = (math.exp(centre.low), math.exp(centre.high)) if centre.finite else (None, None)
    below, above = (math.exp(scaled.low), math.exp(scaled.high)) if scaled.finite else (None, None)
    return CurvePoint(
        count, len(rates), math.exp(centre.value), low, high, math.exp(scaled.value), below, above
    )
