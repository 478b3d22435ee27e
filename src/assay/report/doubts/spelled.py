"""Figures over the trials of an arm, and several names, in words."""

from __future__ import annotations

from collections.abc import Callable

from assay.explain.sanity.runs import Spread
from assay.model.units import format_bytes


def usual(spread: Spread, spell: Callable[[float], str]) -> str:
    """Return ``77% in the median (95% at worst, in 0003-b1-baseline-spin)``; ``77%`` where all say so."""
    median, worst = spell(spread.median), spell(spread.worst)
    return median if median == worst else f"{median} in the median ({worst} at worst, in {spread.where})"


def extreme(spread: Spread, spell: Callable[[float], str]) -> str:
    """Return ``256 MiB at worst (in 0003-b1-baseline-spin; 0 B in the median)``; ``256 MiB`` where all say
    so.
    """
    median, worst = spell(spread.median), spell(spread.worst)
    return worst if median == worst else f"{worst} at worst (in {spread.where}; {median} in the median)"


def percent(share: float) -> str:
    """Return ``77%``."""
    return f"{share:.0%}"


def seconds(length_s: float) -> str:
    """Return ``2.31 s``."""
    return f"{length_s:.3g} s"


def size(amount: float) -> str:
    """Return ``256 MiB``."""
    return format_bytes(round(amount))


def mb(bytes_per_s: float) -> str:
    """Return ``99.85 MB/s``."""
    return f"{bytes_per_s / 1e6:.4g} MB/s"
