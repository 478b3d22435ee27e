"""The column ``order`` of a table -> positions in time: numbers, or times of day with their date."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.exchange.errors import TableError
from assay.exchange.tables.cells import absent, as_float, missing, shown
from assay.exchange.tables.columns import floats_of
from assay.model.figures.measured import Lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

COLUMN = "order"
NUMBER, TIME, ZONED = "a number", "a time without a zone", "a time with its zone"
"""What positions of one table are; they are not compared with each other."""
EXPECTED = "a number or an ISO 8601 time in 'order'"
HINT = "1, 2, 3, … or 2026-11-21T11:00:00Z"
Positions = tuple[str, "Numbers"]
"""What positions are, and the positions: of times seconds since 1970, those without a zone taken as UTC."""


class OrderColumn:
    """Positions in time, gathered a stretch of rows at a time; all of the kind of the first."""

    def __init__(self) -> None:
        self._positions: list[Numbers] = []
        self._first = ("", "")
        self._other: TableError | None = None

    def add(self, cells: Sequence[object], lines: Lines) -> None:
        """Add the cells of further rows.

        Raises:
            TableError: A cell is empty, or is neither a number nor a time.
        """
        import numpy as np

        alike = _numbers(cells) or _times(cells)
        if alike is not None:
            kinds, positions = [alike[0]], alike[1]
        else:
            parsed = [_order(cell, lines[at]) for at, cell in enumerate(cells)]
            kinds, positions = [kind for kind, _ in parsed], np.array([position for _, position in parsed])
        self._compare(kinds, cells, lines)
        self._positions.append(positions)

    def check(self) -> None:
        """Refuse positions that are not compared with each other.

        Raises:
            TableError: A cell is of another kind than the first.
        """
        if self._other is not None:
            raise self._other

    def column(self) -> Numbers:
        """Return the position of each row."""
        import numpy as np

        return np.concatenate(self._positions)

    def _compare(self, kinds: Sequence[str], cells: Sequence[object], lines: Lines) -> None:
        """Keep the first cell of another kind: one that is no position at all is told before it."""
        if not self._positions:
            self._first = kinds[0], lines[0]
        wanted, first = self._first
        at = next((at for at, kind in enumerate(kinds) if kind != wanted), None)
        if at is not None and self._other is None:
            expected = f"{wanted} in 'order' as at {first}"
            self._other = TableError(place=lines[at], expected=expected, actual=shown(cells[at]))


def _numbers(cells: Sequence[object]) -> Positions | None:
    """Return cells that are all numbers; ``None`` of others."""
    import numpy as np

    numbers = floats_of(cells)
    return (NUMBER, numbers) if numbers is not None and np.isfinite(numbers).all() else None


def _times(cells: Sequence[object]) -> Positions | None:
    """Return cells that are all times, with or without a zone; ``None`` of others."""
    import numpy as np

    if set(map(type, cells)) != {str}:
        return None
    words = [str(cell).strip() for cell in cells]
    if not all(word[4:5] == "-" for word in words):  # 20261121 is a number, too
        return None
    try:
        times = list(map(datetime.fromisoformat, words))
    except ValueError:
        return None
    zoned = {time.tzinfo is not None for time in times}
    if len(zoned) > 1:
        return None
    kind = ZONED if zoned.pop() else TIME
    return kind, np.array([_seconds(time) for time in times])


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
    return (TIME if time.tzinfo is None else ZONED), _seconds(time)


def _seconds(time: datetime) -> float:
    return (time.replace(tzinfo=UTC) if time.tzinfo is None else time).timestamp()
