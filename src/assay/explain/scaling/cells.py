"""A scaling curve on the log scale, on which equal relative errors count equally: one cell a worker count."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from assay.explain.scaling.points import ScalePoint
from assay.stats.jackknife import half_width


@dataclass(frozen=True)
class Cell:
    """What was measured at one worker count.

    Attributes:
        x: Logarithm of the workers.
        y: Mean logarithm of the rate.
        count: Measurements, all of which count equally.
    """

    x: float
    y: float
    count: int


def cells_of(points: Iterable[ScalePoint]) -> tuple[Cell, ...]:
    """Return the cells of a curve, fewest workers first.

    Least squares over cells, each with its count, are those over single measurements.
    """
    held: dict[int, list[float]] = {}
    for point in points:
        held.setdefault(point.workers, []).append(math.log(point.rate))
    return tuple(Cell(math.log(at), math.fsum(y) / len(y), len(y)) for at, y in sorted(held.items()))


def within(points: Iterable[ScalePoint], cells: Sequence[Cell]) -> float:
    """Return the squares of the log rates about the means of their counts: what no curve explains."""
    means = {cell.x: cell.y for cell in cells}
    return sum((math.log(point.rate) - means[math.log(point.workers)]) ** 2 for point in points)


def interval(
    points: Sequence[ScalePoint], estimate: Callable[[Sequence[Cell]], float], confidence: float
) -> tuple[float | None, float | None]:
    """Return the interval of an estimate from the cells, by leaving out one block at a time; nothing with one
    block.

    Source: ``stats.jackknife``.
    """
    import numpy as np

    blocks = sorted({point.block for point in points})
    if len(blocks) < 2:
        return None, None
    rests = ([point for point in points if point.block != block] for block in blocks)
    estimates = np.array([estimate(cells_of(some)) for some in (points, *rests)])
    half = half_width(estimates, len(blocks) - 1, confidence=confidence)
    return (None, None) if half is None else (float(estimates[0]) - half, float(estimates[0]) + half)
