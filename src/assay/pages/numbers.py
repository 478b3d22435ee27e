"""How a number is written for people: four digits for a value, as many as the interval carries for a loss."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Protocol

FIGURE_FROM = 5
"""Blocks below which the size of a loss is shown as a range and not as a figure."""
NOTHING = "-"
"""What stands where nothing was measured."""
MOST_DECIMALS = 4
"""Decimals of a percentage beyond which an end is zero to any reader."""
ROUNDING = 1e-12
"""An interval narrower than this share of its point has no width but that of rounding."""


@lru_cache(maxsize=1 << 16)
def value_text(value: float | None) -> str:
    """Return a value with four significant digits, thousands kept plain: ``12346``, ``0.01235``, ``-``."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    exponent = _exponent(value, 3)
    if not -6 < exponent < 15:
        return f"{value:.3e}"
    return f"{value:.{max(0, 3 - exponent)}f}"


def interval_text(point: float | None, low: float | None, high: float | None, *, unit: str = "%") -> str:
    """Return ``12.3 % [10.1, 14.5]`` for fractions; ``12 % [-, -]`` without an interval, ``-`` without a
    point.

    The three numbers have the same decimals: those at which half the interval's width shows two
    significant figures, at least none and at most two.

    Args:
        point: The estimate, a fraction.
        low: Lower end, a fraction.
        high: Upper end, a fraction.
        unit: What stands behind the point: ``%``, or ``pp`` for percentage points.
    """
    if point is None:
        return NOTHING
    if low is None or high is None:
        return f"{_hundredth(point, 0)} {unit} [{NOTHING}, {NOTHING}]"
    digits = decimals(low, high)
    numbers = [_hundredth(number, digits) for number in (point, low, high)]
    return f"{numbers[0]} {unit} [{numbers[1]}, {numbers[2]}]"


class Sized(Protocol):
    """A loss of so many blocks, as rows, intervals and estimates hold one."""

    @property
    def blocks(self) -> int:
        """Complete blocks."""

    @property
    def loss(self) -> float | None:
        """The estimate, a fraction."""

    @property
    def low(self) -> float | None:
        """Lower end of its interval."""

    @property
    def high(self) -> float | None:
        """Upper end."""


def size_text(of: Sized) -> str:
    """Return a loss and its interval, ``12.3 % [10.1, 14.5]``; of few blocks a range, ``10.1 to 14.5 %``."""
    return sized_text(of.loss, of.low, of.high, of.blocks)


def sized_text(
    loss: float | None, low: float | None, high: float | None, blocks: int | None, *, unit: str = "%"
) -> str:
    """Return the same of a loss, its ends and its number of blocks; ``None`` where it rests on none."""
    if blocks is not None and blocks < FIGURE_FROM and low is not None and high is not None:
        return range_text(low, high, unit=unit)
    return interval_text(loss, low, high, unit=unit)


def range_text(low: float, high: float, *, unit: str = "%") -> str:
    """Return ``10.1 to 14.5 %`` for the ends of an interval without a point, fractions, with the same
    decimals.
    """
    numbers = [_hundredth(number, decimals(low, high)) for number in (low, high)]
    return f"{numbers[0]} to {numbers[1]} {unit}"


def ends_text(point: float | None, low: float | None, high: float | None, *, unit: str = "") -> str:
    """Return ``35.2 s [34.9, 35.5]`` for any quantity; three digits and ``[-, -]`` without an interval.

    The three numbers have the decimals at which half the interval's width shows two significant figures,
    and never more than six digits of the point; four where the interval has no width.

    Args:
        point: The estimate.
        low: Lower end.
        high: Upper end.
        unit: What stands behind the point.
    """
    if point is None:
        return NOTHING
    behind = f" {unit}" if unit else ""
    if low is None or high is None:
        return f"{_significant(point, 3)}{behind} [{NOTHING}, {NOTHING}]"
    exponent, half_width = _exponent(point, 5), (high - low) / 2
    if half_width <= ROUNDING * abs(point):
        return f"{_significant(point, 4)}{behind} [{_significant(low, 4)}, {_significant(high, 4)}]"
    places = 1 - _exponent(half_width, 1)
    if not -6 < exponent < 15:
        digits = min(5, max(0, places + exponent))
        return f"{point:.{digits}e}{behind} [{low:.{digits}e}, {high:.{digits}e}]"
    digits = min(max(0, 5 - exponent), max(0, places))
    return f"{point:.{digits}f}{behind} [{low:.{digits}f}, {high:.{digits}f}]"


def _significant(number: float, digits: int) -> str:
    """Return a number with so many significant digits, without exponent where it is of common size."""
    exponent = _exponent(number, digits - 1)
    return f"{number:.{max(0, digits - 1 - exponent)}f}" if -6 < exponent < 15 else f"{number:.{digits - 1}e}"


def decimals(low: float, high: float) -> int:
    """Return the decimals of a percentage that the interval from ``low`` to ``high`` (fractions) supports.

    An end beside zero gets as many more (``MOST_DECIMALS``) as it needs not to be written as zero: on which
    side of zero an interval lies is what its verdict says.
    """
    half_width = abs(high - low) / 2 * 100
    fewest = 2 if half_width == 0 else min(2, max(0, 1 - _exponent(half_width, 1)))
    enough = (digits for digits in range(fewest, MOST_DECIMALS + 1) if not _hides_zero((low, high), digits))
    return next(enough, fewest)


def _hides_zero(ends: tuple[float, float], digits: int) -> bool:
    return any(end and not float(f"{100 * end:.{digits}f}") for end in ends)


def percent_text(ratio: float) -> str:
    """Return a share as it was declared: ``95 %``, ``0.5 %``."""
    return f"{ratio * 100:.4g} %"


def _hundredth(fraction: float, digits: int) -> str:
    percent = fraction * 100
    if abs(percent) >= 1e6:
        return f"{percent:.2e}"
    text = f"{percent:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _exponent(number: float, digits: int) -> int:
    """Return the decimal exponent after rounding: 9.99 has 1 at two significant figures, not 0."""
    return int(f"{number:.{digits}e}".partition("e")[2])
