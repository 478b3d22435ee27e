"""Figures in the sentences of causes; what was not told is said so."""

from __future__ import annotations

from assay.model.units import format_bytes


def count_text(count: float | None) -> str:
    """Return a count for a sentence."""
    return "an untold number of" if count is None else f"{count:.4g}" if count < 1e4 else str(round(count))


def bytes_text(count: float | None) -> str:
    """Return an amount of data for a sentence."""
    return "an untold amount" if count is None else format_bytes(round(count))


def rate_text(count: float | None, seconds: float) -> str:
    """Return an amount of data a second for a sentence."""
    return f"{bytes_text(None if count is None else count / seconds)}/s"
