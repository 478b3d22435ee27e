"""A centre of log slowdowns with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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


def mean_of(values: Sequence[float]) -> float:
    """Return the mean, exactly rounded: it depends on no order, and changes sign with its values."""
    if min(values) == max(values):  # a sum may round where there is nothing to be averaged
        return values[0]
    return math.fsum(values) / len(values)


def spread_of(values: Sequence[float]) -> float:
    """Return the sample standard deviation (n - 1) of two or more values, in any order the same."""
    centre = mean_of(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def scatters(values: Sequence[float]) -> bool:
    """Tell whether log slowdowns differ by more than what rounding leaves."""
    return bool(values) and max(values) - min(values) > ROUNDING


def check_finite(values: Sequence[float]) -> None:
    """Refuse what is no number.

    Raises:
        ValueError: A value is infinite or not a number.
    """
    if any(not math.isfinite(value) for value in values):
        msg = f"expected finite values, got {next(v for v in values if not math.isfinite(v))}"
        raise ValueError(msg)
