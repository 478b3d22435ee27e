"""Where a scaling curve leaves the line through the origin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.explain.scaling.points import ScalePoint
from assay.stats.mean import t_quantile

LEAST_DROP = 0.10
"""A curve that ends this little below the line has not left it."""
FEWEST_COUNTS = 3
"""Distinct worker counts below which a line and a plateau cannot be told apart."""
FEWEST_COUNTS_FOR_SLOPE = 5
"""Distinct worker counts from which a slope behind the knee can be told from a later knee."""
SLOPE_COSTS = 6.0
"""What a slope behind the knee must gain in n log(RSS): some 1 % of flat curves are then called sloped."""


@dataclass(frozen=True)
class Knee:
    """The number of workers at which the rate leaves the line through the origin.

    Attributes:
        workers: The knee; between two counts that were measured it is where the two lines meet. At the first
            of them it may lie below as well: nothing was measured there.
        low: Lower end of its interval, at least the first count; ``None`` with one block, or at the first count.
        high: Upper end; ``None`` likewise.
        slope: Growth behind it: d log(rate) / d log(workers); 0 is a plateau, below 0 the rate falls.
    """

    workers: float
    low: float | None
    high: float | None
    slope: float


def knee_of(points: Sequence[ScalePoint], *, confidence: float = 0.95) -> Knee | None:
    """Return the knee of a curve; ``None`` where the curve does not leave the line, or has too few counts.

    On the log scale, on which equal relative errors count equally, the curve is a line of slope 1 up to the
    knee and a plateau behind it, or a line of another slope where five counts or more show one. Both parts meet
    at the knee. Least squares, solved exactly interval by interval; the interval is a delete-one-block
    jackknife with Student's t.

    Source: two-phase regression: D. V. Hinkley, "Inference in two-phase regression", JASA 66 (1971) 736-743;
        jackknife: B. Efron and C. Stein, "The jackknife estimate of variance", Ann. Statist. 9 (1981) 586-596.

    Limits: below the knee the rate is taken as proportional to the workers; a curve that bends all the way
        gets the knee of the nearest broken line. The interval knows the blocks' noise, not the model's error.

    Args:
        points: Rates, any order; at least three distinct worker counts.
        confidence: Coverage of the interval, 0 < confidence < 1.
    """
    counts = sorted({point.workers for point in points})
    if len(counts) < FEWEST_COUNTS:
        return None
    sloped = len(counts) >= FEWEST_COUNTS_FOR_SLOPE and _is_sloped(points)
    fit = _fit(points, sloped=sloped)
    low, high = _interval(points, fit.at, lambda some: _fit(some, sloped=sloped).at, confidence)
    first, last = math.log(counts[0]), math.log(counts[-1])
    if (1 - fit.slope) * (last - fit.at) < -math.log(1 - LEAST_DROP) or (high is not None and high >= last):
        return None
    if fit.at <= first + 1e-9 or low is None or high is None:
        return Knee(math.exp(max(fit.at, first)), None, None, fit.slope)
    return Knee(math.exp(fit.at), math.exp(max(low, first)), math.exp(high), fit.slope)


@dataclass(frozen=True)
class _Fit:
    """A broken line on the log scale: ``level + min(x, at) + slope * max(0, x - at)``."""

    at: float
    level: float
    slope: float
    rss: float


def _is_sloped(points: Sequence[ScalePoint]) -> bool:
    flat, sloped = _fit(points, sloped=False).rss, _fit(points, sloped=True).rss
    if flat <= 1e-12 * len(points):
        return False
    return len(points) * math.log(flat / max(sloped, 1e-15 * len(points))) > SLOPE_COSTS


def _fit(points: Sequence[ScalePoint], *, sloped: bool) -> _Fit:
    """Return the broken line of least squares: the best of all intervals between neighbouring counts."""
    found = [(math.log(point.workers), math.log(point.rate)) for point in points]
    edges = sorted({x for x, _ in found})
    return min(_candidates(found, edges, sloped=sloped), key=lambda fit: fit.rss)


def _candidates(found: list[tuple[float, float]], edges: list[float], *, sloped: bool) -> Iterator[_Fit]:
    for edge in edges:
        yield _at(found, edge, sloped=sloped and edge < edges[-2])
    for low, high in pairwise(edges):
        right = [(x, y) for x, y in found if x > low]
        level = _mean(y - x for x, y in found if x <= low)
        slope = _slope(right) if sloped and len({x for x, _ in right}) > 2 else 0.0
        at = (_mean(y - slope * x for x, y in right) - level) / (1 - slope) if slope < 1 else low
        if low <= at <= high:
            yield _Fit(at, level, slope, _rss(found, at, level, slope))


def _at(found: list[tuple[float, float]], at: float, *, sloped: bool) -> _Fit:
    """Return the best fit whose knee is at a given place."""
    rest = [(max(0.0, x - at), y - min(x, at)) for x, y in found]
    slope = _slope(rest) if sloped else 0.0
    level = _mean(y - slope * x for x, y in rest)
    return _Fit(at, level, slope, _rss(found, at, level, slope))


def _rss(found: Iterable[tuple[float, float]], at: float, level: float, slope: float) -> float:
    return sum((y - level - min(x, at) - slope * max(0.0, x - at)) ** 2 for x, y in found)


def _slope(found: Sequence[tuple[float, float]]) -> float:
    x_mean, y_mean = _mean(x for x, _ in found), _mean(y for _, y in found)
    spread = sum((x - x_mean) ** 2 for x, _ in found)
    return sum((x - x_mean) * (y - y_mean) for x, y in found) / spread if spread else 0.0


def _interval(
    points: Sequence[ScalePoint],
    value: float,
    estimate: Callable[[Sequence[ScalePoint]], float],
    confidence: float,
) -> tuple[float | None, float | None]:
    """Return the delete-one-block jackknife interval of an estimate; nothing with one block."""
    blocks = sorted({point.block for point in points})
    if len(blocks) < 2:
        return None, None
    left_out = [estimate([point for point in points if point.block != block]) for block in blocks]
    n, middle = len(blocks), _mean(left_out)
    error = math.sqrt((n - 1) / n * sum((one - middle) ** 2 for one in left_out))
    half = t_quantile(confidence, n - 1) * error
    return value - half, value + half


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return sum(every) / len(every)
