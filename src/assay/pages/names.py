"""How a list of names is written for people: the first of them."""

from __future__ import annotations

from collections.abc import Sequence


def some(names: Sequence[str], most: int = 3) -> str:
    """Return the first names of a list, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
