"""Where a scaling curve leaves the line through the origin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.explain.scaling.cells import Cell, cells_of, interval, within
from assay.explain.scaling.hinge import Hinge, fit_hinge
from assay.explain.scaling.points import ScalePoint

LEAST_DROP = 0.10
"""A curve that ends this little below the line has not left it."""
FEWEST_COUNTS = 3
"""Distinct worker counts below which a line and a plateau cannot be told apart."""
SLOPES = ((3, 5, 6.0), (2, 4, 9.0))
"""Counts behind the knee, distinct counts from which a slope is taken from these, and what it must gain in n
log(RSS).

Some 1 % of flat curves are then called sloped.
"""


@dataclass(frozen=True)
class Knee:
    """The number of workers at which the rate leaves the line through the origin.

    Attributes:
        workers: The knee; between two counts that were measured it is where the two lines meet. At the first
            of them it may lie below as well: nothing was measured there.
        low: Lower end of its interval, at least the first count; ``None`` with one block, or at the first
            count.
        high: Upper end; ``None`` likewise.
        slope: Growth behind it: d log(rate) / d log(workers); 0 is a plateau, below 0 the rate falls.
    """

    workers: float
    low: float | None
    high: float | None
    slope: float


def knee_of(points: Sequence[ScalePoint], *, confidence: float = 0.95) -> Knee | None:
    """Return the knee of a curve; ``None`` where the curve does not leave the line, or has too few counts.

    On the log scale the curve is a line of slope 1 up to the knee and a plateau behind it, or a line of
    another slope where the counts show one. Both parts meet at the knee. Least squares; the interval is a
    delete-one-block jackknife with Student's t.

    Source: ``hinge``, ``stats.jackknife``.

    Limits: below the knee the rate is taken as proportional to the workers; whether a law without a knee
        describes the curve better is for ``choice`` to say. The interval knows the blocks' noise, not the
        model's error.

    Args:
        points: Rates, any order; at least three distinct worker counts.
        confidence: Coverage of the interval, 0 < confidence < 1.
    """
    cells = cells_of(points)
    if len(cells) < FEWEST_COUNTS:
        return None
    behind = counts_behind(points)
    fit = fit_hinge(cells, behind=behind)
    low, high = interval(points, lambda some: fit_hinge(some, behind=behind).at, confidence)
    if ends_near(fit, cells) or (high is not None and high >= cells[-1].x):
        return None
    return _knee(fit, low, high, cells[0].x)


def counts_behind(points: Sequence[ScalePoint]) -> int | None:
    """Return of how many counts at least the slope behind the knee is taken; ``None`` for a plateau."""
    cells = cells_of(points)
    noise, chosen = within(points, cells), None
    for behind, fewest, costs in SLOPES:
        if len(cells) < fewest:
            continue
        plain, sloped = (noise + fit_hinge(cells, behind=one).rss for one in (chosen, behind))
        if plain > 1e-12 * len(points):
            gain = len(points) * math.log(plain / max(sloped, 1e-15 * len(points)))
            chosen = behind if gain > costs else chosen
    return chosen


def ends_near(fit: Hinge, cells: Sequence[Cell]) -> bool:
    """Tell whether a curve ends so little below its line that it has not left it."""
    return (1 - fit.slope) * (cells[-1].x - fit.at) < -math.log(1 - LEAST_DROP)


def _knee(fit: Hinge, low: float | None, high: float | None, first: float) -> Knee:
    if fit.at <= first + 1e-9 or low is None or high is None:
        return Knee(math.exp(max(fit.at, first)), None, None, fit.slope)
    return Knee(math.exp(fit.at), math.exp(max(low, first)), math.exp(high), fit.slope)
