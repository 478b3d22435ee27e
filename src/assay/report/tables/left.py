"""How much is left, in words."""

from __future__ import annotations

from assay.pages.headline import Left
from assay.pages.numbers import FIGURE_FROM, ends_text, sized_text, value_text

MOST = 10
"""Two blocks may leave an interval of any size: how far a wide one reaches beyond ten times as much tells
nothing.
"""


def left_text(one: Left) -> str:
    """Return the share that is left with its interval, ``92.6 % [91.2, 94.0]``; of few blocks a range."""
    if one.low is not None and one.high is not None and one.low <= MOST < one.high - one.low:
        return f"{100 * one.low:.3g} to more than {100 * MOST:,} %"
    return sized_text(one.left, one.low, one.high, one.blocks)


def machines_text(one: Left, machines: int | None) -> str:
    """Return how many machines do what is lost or won; empty where that is not known."""
    ends = one.machines, one.machines_low, one.machines_high
    if machines is None or None in ends:
        return ""
    point, low, high = (abs(end) for end in ends if end is not None)
    low, high = sorted((low, high))
    few = one.blocks is not None and one.blocks < FIGURE_FROM
    count = f"{_count(low)} to {_count(high)}" if few else ends_text(point, low, high)
    if one.machines is not None and one.machines < 0:
        return f"equals {count} machines on top of your {machines}"
    return f"equals {count} of your {machines} machines"


def _count(machines: float) -> str:
    return f"{machines:.0f}" if machines >= 10 else f"{machines:.1f}"


def energy_text(kwh: float, price: float | None, currency: str) -> str:
    """Return an energy and what it costs, ``1.234 kWh, 0.37 EUR``."""
    energy = f"{value_text(kwh)} kWh"
    return energy if price is None else f"{energy}, {value_text(price)} {currency}".rstrip()
