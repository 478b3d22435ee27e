"""Bars with their intervals, as characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 40
"""Columns of the widest."""
BAR, WHISKER, ZERO = "#", "-", "|"


@dataclass(frozen=True)
class Bar:
    """A value with its interval.

    Attributes:
        value: The value.
        low: Lower end of its interval; ``None`` without one.
        high: Upper end.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Return the least and the most that is drawn of it."""
        known = [one for one in (0.0, self.value, self.low, self.high) if one is not None]
        return min(known), max(known)


def bar_texts(bars: Sequence[Bar], width: int = WIDTH) -> list[str]:
    """Return each value as a bar from zero on one scale, with its interval as a line of ``-`` in brackets.

    Args:
        bars: The values.
        width: Columns from the least to the most.
    """
    least = min((bar.ends[0] for bar in bars), default=0.0)
    most = max((bar.ends[1] for bar in bars), default=0.0)
    step = (most - least) / (width - 1) or 1.0
    return [_text(bar, least, step, width).rstrip() for bar in bars]


def _text(bar: Bar, least: float, step: float, width: int) -> str:
    def column(value: float) -> int:
        return round((value - least) / step)

    cells = [" "] * width
    for at in _between(column(0.0), column(bar.value)):
        cells[at] = BAR
    if bar.low is not None and bar.high is not None:
        low, high = column(bar.low), column(bar.high)
        for at in _between(low, high):
            cells[at] = BAR if cells[at] == BAR else WHISKER
        cells[low], cells[high] = "[", "]"
    cells[column(0.0)] = ZERO if cells[column(0.0)] in {" ", BAR, WHISKER} else cells[column(0.0)]
    return "".join(cells)


def _between(one: int, other: int) -> range:
    return range(min(one, other), max(one, other) + 1)
