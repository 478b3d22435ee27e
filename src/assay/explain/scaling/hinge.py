"""A broken line on the log scale: slope 1 up to a knee, a plateau or another slope behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.explain.scaling.cells import Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Hinge:
    """A broken line, ``level + min(x, at) + slope * max(0, x - at)`` of the log of the workers.

    Attributes:
        at: Log of the workers at the knee.
        level: Log of the rate of one worker.
        slope: Behind the knee.
        rss: Squares that it leaves of the cells, each with its count.
    """

    at: float
    level: float
    slope: float
    rss: float

    def __call__(self, x: float) -> float:
        """Return the log rate at the log of a number of workers."""
        return self.level + min(x, self.at) + self.slope * max(0.0, x - self.at)


def fit_hinge(cells: Sequence[Cell], *, behind: int | None = None) -> Hinge:
    """Return the broken line of least squares: the best of all intervals between neighbouring counts, and of
    the counts.

    Args:
        cells: The curve, at least one.
        behind: Fewest counts from whose rates a slope behind the knee is taken, at least 2; ``None`` takes a
            plateau.

    Source: two-phase regression: D. V. Hinkley, "Inference in two-phase regression", JASA 66 (1971) 736-743.
    """
    import numpy as np

    x, y, w = (np.array([getattr(cell, name) for cell in cells], float) for name in ("x", "y", "count"))
    candidates = [_at_counts(x, y, w, sloped=behind is not None), _between(x, y, w, behind)]
    at, slope = (np.concatenate(one) for one in zip(*candidates, strict=True))
    line = np.minimum(x, at[:, None]) + slope[:, None] * np.maximum(0.0, x - at[:, None])
    level = _mean(y - line, w)
    rss = (w * (y - line - level[:, None]) ** 2).sum(axis=1)
    best = int(rss.argmin())
    return Hinge(float(at[best]), float(level[best]), float(slope[best]), float(rss[best]))


def level_of(cells: Sequence[Cell], at: float, slope: float) -> float:
    """Return the log rate of one worker on the best broken line with a given knee and slope behind it."""
    line = Hinge(at, 0.0, slope, 0.0)
    return sum(c.count * (c.y - line(c.x)) for c in cells) / sum(c.count for c in cells)


def _at_counts(x: Numbers, y: Numbers, w: Numbers, *, sloped: bool) -> tuple[Numbers, Numbers]:
    """Return a knee at each count with the best slope behind it, which two further counts must tell."""
    import numpy as np

    edges = x[:, None]
    slopes = _slope(
        np.maximum(0.0, x - edges), y - np.minimum(x, edges), np.broadcast_to(w, (len(x), len(x)))
    )
    return x, np.where(sloped & (x < x[-2:][0]), slopes, 0.0)


def _between(x: Numbers, y: Numbers, w: Numbers, behind: int | None) -> tuple[Numbers, Numbers]:
    """Return the knees at which the best lines of both sides meet between the counts that part them."""
    import numpy as np

    right = x > x[:-1, None]
    many = right.sum(axis=1) >= (behind or len(x))
    slope = np.where(many, _slope(x, y, w * right), 0.0)
    meets = _mean(y - slope[:, None] * x, w * right) - _mean(y - x, w * ~right)
    at = meets / np.where(slope < 1, 1 - slope, np.nan)
    inside = (x[:-1] <= at) & (at <= x[1:])
    return at[inside], slope[inside]


def _slope(x: Numbers, y: Numbers, w: Numbers) -> Numbers:
    """Return the slope of each row by least squares; 0 where one place alone counts."""
    import numpy as np

    away, up = x - _mean(x, w)[:, None], y - _mean(y, w)[:, None]
    spread = (w * away**2).sum(axis=-1)
    return np.asarray((w * away * up).sum(axis=-1) / np.where(spread > 0, spread, np.inf))


def _mean(values: Numbers, w: Numbers) -> Numbers:
    """Return the weighted mean of each row."""
    import numpy as np

    values, w = np.broadcast_arrays(values, w)
    return np.asarray((w * values).sum(axis=-1) / w.sum(axis=-1))
