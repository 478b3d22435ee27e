"""What a cell of a table may hold: a word, a number, or nothing; what it cannot be is refused by
its place.
"""

from __future__ import annotations

import math

from assay.exchange.errors import TableError


def as_word(cell: object, column: str, place: str) -> str:
    """Return a cell that holds a word.

    Raises:
        TableError: It is empty.
    """
    if absent(cell):
        raise missing(column, place)
    return str(cell).strip()


def as_number(cell: object, column: str, place: str) -> float:
    """Return a cell that holds a finite number.

    Raises:
        TableError: It is empty, or no number, or not a finite one.
    """
    if absent(cell):
        raise missing(column, place)
    number = as_float(cell)
    if number is None or not math.isfinite(number):
        comma = isinstance(cell, str) and "," in cell
        hint = "write decimals with a point, and thousands without a mark" if comma else None
        expected = f"a{' finite' if number is not None else ''} number in '{column}'"
        raise TableError(place=place, expected=expected, actual=shown(cell), hint=hint)
    return number


def as_float(cell: object) -> float | None:
    """Return a cell as a number; ``None`` where it is none. Python's own 1_000 is nobody's data."""
    if isinstance(cell, bool) or (isinstance(cell, str) and "_" in cell):
        return None
    try:
        return float(cell) if hasattr(cell, "__float__") or isinstance(cell, str) else None
    except (ValueError, TypeError, OverflowError):
        return None


def absent(cell: object) -> bool:
    """Tell whether a cell is empty; data frames write NaN or their own mark, which equals nothing."""
    if cell is None or isinstance(cell, str):
        return not cell or not cell.strip()
    return type(cell).__name__ in {"NAType", "NaTType"} or (isinstance(cell, float) and math.isnan(cell))


def missing(column: str, place: str) -> TableError:
    """Return the error of an empty cell."""
    return TableError(place=place, expected=f"a cell in '{column}'", actual="nothing")


def shown(cell: object) -> str:
    """Return a cell as it stands, cut to what one line holds."""
    text = str(cell).strip()
    return f"'{text if len(text) <= 40 else text[:39] + '…'}'"
