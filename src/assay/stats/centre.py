"""A centre of log slowdowns with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Values: TypeAlias = "Sequence[float] | Numbers"
"""One number a block: of an array everything is exactly what it is of a list of the same numbers."""
ROUNDING = 1e-12
"""Spread of log slowdowns that the rounding of values leaves."""


@dataclass(frozen=True)
class Centre:
    """A location with a two-sided interval, in the units of the data.

    Attributes:
        value: The point.
        low: Lower end; ``-inf`` where the data cannot give one.
        high: Upper end; ``inf`` where the data cannot give one.
        method: How it was found.
    """

    value: float
    low: float
    high: float
    method: str

    @property
    def finite(self) -> bool:
        """Tell whether both ends are known."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def half(self) -> float:
        """Half the interval's width."""
        return (self.high - self.low) / 2

    def widened(self, by: float) -> Centre:
        """Return the same with an independent half-width added to both sides in quadrature."""
        if by == 0:
            return self
        low = self.value - math.hypot(self.value - self.low, by)
        return Centre(self.value, low, self.value + math.hypot(self.high - self.value, by), self.method)


def ends_of(values: Values) -> tuple[float, float]:
    """Return the smallest and the largest of one or more values."""
    if isinstance(values, Sequence):
        return min(values), max(values)
    return float(values.min()), float(values.max())


def mean_of(values: Values) -> float:
    """Return the mean, exactly rounded: it depends on no order, and changes sign with its values."""
    low, high = ends_of(values)
    if low == high:  # a sum may round where there is nothing to be averaged
        return listed(values)[0]
    return math.fsum(listed(values)) / len(values)


def spread_of(values: Values, mean: float | None = None) -> float:
    """Return the sample standard deviation (n - 1) of two or more values, in any order the same.

    Args:
        values: At least two.
        mean: Their mean, where it is known.
    """
    centre = mean_of(values) if mean is None else mean
    return math.sqrt(math.fsum(squares_about(centre, values)) / (len(values) - 1))


def squares_about(centre: float, values: Values) -> list[float]:
    """Return the square of each value's distance from a centre."""
    return [(value - centre) ** 2 for value in listed(values)]


def scatters(values: Values) -> bool:
    """Tell whether log slowdowns differ by more than what rounding leaves."""
    if not len(values):
        return False
    low, high = ends_of(values)
    return high - low > ROUNDING


def check_finite(values: Values) -> None:
    """Refuse what is no number.

    Raises:
        ValueError: A value is infinite or not a number.
    """
    finite = map(math.isfinite, listed(values))
    if not all(finite):
        wrong = next(value for value in values if not math.isfinite(value))
        msg = f"expected finite values, got {wrong}"
        raise ValueError(msg)


def listed(values: Values) -> Sequence[float]:
    """Return values as numbers of Python."""
    return values if isinstance(values, Sequence) else values.tolist()
