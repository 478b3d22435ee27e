"""The column ``order`` of a table -> positions in time: numbers, or times of day with their date."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from assay.exchange.errors import TableError
from assay.exchange.tables.cells import absent, as_float, missing, shown
from assay.exchange.tables.sheet import Sheet

COLUMN = "order"
NUMBER, TIME, ZONED = "a number", "a time without a zone", "a time with its zone"
"""What positions of one table are; they are not compared with each other."""
EXPECTED = "a number or an ISO 8601 time in 'order'"
HINT = "1, 2, 3, … or 2026-11-21T11:00:00Z"


def orders_of(sheet: Sheet) -> Sequence[float | None]:
    """Return the position of each row in time; of times seconds since 1970, those without a zone taken as
    UTC.

    Returns:
        ``None`` for each where the sheet has no such column.

    Raises:
        TableError: A cell is empty, is neither a number nor a time, or is of another kind than the first.
    """
    if COLUMN not in sheet.columns:
        return [None] * len(sheet.rows)
    at = sheet.columns.index(COLUMN)
    parsed = [(place, cells[at], *_order(cells[at], place)) for place, cells in sheet.rows]
    first, _, wanted, _ = parsed[0]
    for place, cell, kind, _ in parsed:
        if kind != wanted:
            expected = f"{wanted} in 'order' as at {first}"
            raise TableError(place=place, expected=expected, actual=shown(cell))
    return [position for *_, position in parsed]


def _order(cell: object, place: str) -> tuple[str, float]:
    """Return what a position is, and the position."""
    if absent(cell):
        raise missing(COLUMN, place)
    number = as_float(cell)
    if number is not None and math.isfinite(number):
        return NUMBER, number
    try:
        time = datetime.fromisoformat(str(cell).strip())
    except ValueError:
        raise TableError(place=place, expected=EXPECTED, actual=shown(cell), hint=HINT) from None
    return (TIME, time.replace(tzinfo=UTC).timestamp()) if time.tzinfo is None else (ZONED, time.timestamp())
