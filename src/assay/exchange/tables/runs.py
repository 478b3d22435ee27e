"""Cells -> measured runs; what a cell cannot be is refused by its place."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from assay.exchange.errors import TableError
from assay.exchange.tables.cells import absent, as_float, as_number, as_word, shown
from assay.exchange.tables.orders import orders_of
from assay.exchange.tables.sheet import Sheet
from assay.model.figures.measured import MeasuredRun
from assay.model.units import parse_bytes

LEAST, MOST = 1e-30, 1e30
"""No time and no rate in any unit lies beyond; ratios of what lies between are finite doubles."""
MOST_EVENTS = 10**15
MOST_BYTES = 2**63
RARE = 3
"""An arm with a third of another's rows may be a slip of the pen."""


def to_runs(sheet: Sheet) -> tuple[MeasuredRun, ...]:
    """Return one measured run a row.

    Raises:
        TableError: A cell is missing, is no number where one is needed, or cannot be a time, a rate, a
            number of events or a position in time; or two arms differ by the case of their letters alone.
    """
    rows = ((dict(zip(sheet.columns, cells, strict=True)), place) for place, cells in sheet.rows)
    placed = zip(rows, orders_of(sheet), strict=True)
    runs = tuple(_run(cells, place, order) for (cells, place), order in placed)
    _check_spelling(runs)
    return runs


def spelling_notes(runs: Iterable[MeasuredRun]) -> Iterator[str]:
    """Yield a note for each rare arm that is spelled nearly like a common one: a slip, or a treatment."""
    counts = Counter(run.arm for run in runs)
    for arm, count in counts.items():
        common = [other for other in counts if counts[other] >= RARE * count]
        for other in difflib.get_close_matches(arm, common, n=1, cutoff=0.75):
            if _letters(arm) != _letters(other):  # guest1 and guest2 are two treatments
                rows = f"{count} row{'' if count == 1 else 's'}"
                yield f"the arm '{arm}' ({rows}) is spelled nearly like '{other}' ({counts[other]} rows)"


def _letters(arm: str) -> str:
    return "".join(letter for letter in arm if not letter.isdigit())


def _run(cells: Mapping[str, object], place: str, order: float | None) -> MeasuredRun:
    return MeasuredRun(
        block=as_word(cells["block"], "block", place),
        arm=as_word(cells["arm"], "arm", place),
        value=_value(cells["value"], place),
        session=as_word(cells["session"], "session", place) if "session" in cells else "",
        machine=as_word(cells["machine"], "machine", place) if "machine" in cells else "",
        events=_events(cells["events"], place) if "events" in cells else None,
        place=place,
        wall_s=_optional_number(cells.get("wall_s"), "wall_s", place),
        file_bytes=_size(cells.get("file_size"), place),
        disk_rate=_optional_number(cells.get("disk_rate"), "disk_rate", place),
        order=order,
    )


def _value(cell: object, place: str) -> float:
    number = as_number(cell, "value", place)
    if not LEAST <= number <= MOST:
        above = "a number above 0" if number <= 0 else f"a time or a rate from {LEAST:g} to {MOST:g}"
        hint = "leave out runs that failed: they have no value" if number <= 0 else None
        raise TableError(place=place, expected=f"{above} in 'value'", actual=shown(cell), hint=hint)
    return number


def _optional_number(cell: object, column: str, place: str) -> float | None:
    """Return a figure that a value is held against; ``None`` where the cell is empty, or there is no such
    column.
    """
    if absent(cell):
        return None
    number = as_number(cell, column, place)
    if not LEAST <= number <= MOST:
        raise TableError(place=place, expected=f"a number above 0 in '{column}'", actual=shown(cell))
    return number


def _size(cell: object, place: str) -> int | None:
    """Return the size of a file in bytes, of a number or an amount with its unit; ``None`` of an
    empty cell.
    """
    if absent(cell):
        return None
    number = as_float(cell)
    try:
        size = parse_bytes(str(cell).strip()) if number is None else int(number)
    except (ValueError, OverflowError):
        size = 0
    if not 0 < size <= MOST_BYTES:
        expected = "a size above 0 in 'file_size', bytes or like 4 GiB,"
        raise TableError(place=place, expected=expected, actual=shown(cell))
    return size


def _events(cell: object, place: str) -> int:
    number = as_number(cell, "events", place)
    if not 0 <= number <= MOST_EVENTS or not number.is_integer():
        raise TableError(place=place, expected="a whole number >= 0 in 'events'", actual=shown(cell))
    return int(number)


def _check_spelling(runs: Iterable[MeasuredRun]) -> None:
    spelled: dict[str, MeasuredRun] = {}
    for run in runs:
        first = spelled.setdefault(run.arm.casefold(), run)
        if first.arm != run.arm:
            expected = f"the arm '{first.arm}' as at {first.place}"
            raise TableError(place=run.place, expected=expected, actual=f"'{run.arm}'")
