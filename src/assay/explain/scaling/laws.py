"""Laws by which a rate bends all the way: Amdahl's serial share, Gunther's contention and coherency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.explain.scaling.cells import Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

STEPS = 100
"""Of Gauss and Newton, of which a fit takes some ten."""
SHORTEST = 2.0**-20
"""Share of a step below which none goes on downwards."""
LEAST_UNIT = 1e-12
"""Share of the coefficients that a single worker has at least: where none was measured, k may be without
bound.
"""
EXACT = 1e-14
"""Share of the squares by which a step must shorten them to be worth another."""


@dataclass(frozen=True)
class Law:
    """A law X(n) = n X1 / (1 + s (n - 1) + k n (n - 1)).

    Attributes:
        one: Rate of one worker, X1.
        serial: Serial share, or contention, s; 0 to 1.
        coherency: k, at least 0; 0 is Amdahl's law.
        rss: Squares that it leaves of the cells, each with its count.
    """

    one: float
    serial: float
    coherency: float
    rss: float

    def __call__(self, x: float) -> float:
        """Return the log rate at the log of a number of workers."""
        n = math.exp(x)
        return math.log(self.one) + x - math.log1p((n - 1) * (self.serial + self.coherency * n))

    @property
    def peak(self) -> float | None:
        """Workers with the highest rate; ``None`` where it grows for ever."""
        return math.sqrt((1 - self.serial) / self.coherency) if self.coherency > 0 else None


def fit_line(cells: Sequence[Cell]) -> Law:
    """Return the line through the origin."""
    total = sum(cell.count for cell in cells)
    level = math.fsum(cell.count * (cell.y - cell.x) for cell in cells) / total
    return Law(math.exp(level), 0.0, 0.0, sum(c.count * (c.y - c.x - level) ** 2 for c in cells))


def fit_law(cells: Sequence[Cell], *, coherent: bool) -> Law:
    """Return the law of least squares on the log scale.

    n / X is a sum of 1, n and n (n - 1) with coefficients of at least 0, which holds s within 0 and 1 and k
    at or above 0: Gauss-Newton on the logarithm of that sum, each step a least squares problem of that kind.

    Args:
        cells: The curve, at least one.
        coherent: Whether coherency is fitted, too: Gunther's universal scalability law instead of Amdahl's.

    Source: G. M. Amdahl, AFIPS Spring Joint Computer Conference 30 (1967) 483-485; N. J. Gunther, "Guerrilla
        Capacity Planning" (2007), ch. 4-6; C. L. Lawson, R. J. Hanson, "Solving Least Squares Problems"
        (1974), ch. 23.
    """
    import numpy as np

    n = np.exp([cell.x for cell in cells])
    parts = np.column_stack([np.ones_like(n), n, n * (n - 1)] if coherent else [np.ones_like(n), n])
    line = fit_line(cells)
    ideal = np.array([math.log(line.one) + cell.x - cell.y for cell in cells])
    coefficients = _descend(parts, ideal, np.sqrt([float(cell.count) for cell in cells])).tolist()
    unit = max(coefficients[0] + coefficients[1], LEAST_UNIT * sum(coefficients))
    law = Law(line.one / unit, coefficients[1] / unit, coefficients[2] / unit if coherent else 0.0, 0.0)
    return replace(law, rss=sum(c.count * (c.y - law(c.x)) ** 2 for c in cells))


def _descend(parts: Numbers, wanted: Numbers, weights: Numbers) -> Numbers:
    """Return the coefficients at which the log of the sum of parts is nearest to what is wanted."""
    import numpy as np
    from scipy.optimize import nnls

    at = np.eye(parts.shape[1])[0]
    left = _misfit(parts @ at, wanted, weights)
    for _ in range(STEPS):
        total = parts @ at
        slopes = weights[:, None] * parts / total[:, None]
        aim, _ = nnls(slopes, weights * (1 + wanted - np.log(total)))
        share, nearer = _step(parts, wanted, weights, (at, aim), left)
        done = left - nearer <= EXACT * left
        at, left = at + share * (aim - at), nearer
        if done:
            break
    return np.asarray(at)


def _step(
    parts: Numbers, wanted: Numbers, weights: Numbers, ends: tuple[Numbers, Numbers], left: float
) -> tuple[float, float]:
    """Return the longest share of a step, halved as often as needed, that goes downwards, and
    what it leaves.
    """
    at, aim = ends
    share = 1.0
    while share > SHORTEST:
        misfit = _misfit(parts @ (at + share * (aim - at)), wanted, weights)
        if misfit <= left:
            return share, misfit
        share /= 2
    return 0.0, left


def _misfit(total: Numbers, wanted: Numbers, weights: Numbers) -> float:
    import numpy as np

    if not (total > 0).all():
        return math.inf
    return float(((weights * (np.log(total) - wanted)) ** 2).sum())
