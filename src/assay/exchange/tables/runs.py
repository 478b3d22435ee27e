"""Cells -> measured runs; what a cell cannot be is refused by its place."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.exchange.errors import TableError
from assay.exchange.tables.cells import absent, as_float, as_number, as_word, shown
from assay.exchange.tables.columns import CodedColumn, NumberColumn
from assay.exchange.tables.orders import COLUMN as ORDER
from assay.exchange.tables.orders import OrderColumn
from assay.exchange.tables.sheet import KNOWN, Sheet
from assay.model.figures.coded import Coded, named
from assay.model.figures.measured import Lines, MeasuredRuns, in_blocks
from assay.model.units import parse_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Mask = NDArray[np.bool_]

LEAST, MOST = 1e-30, 1e30
"""No time and no rate in any unit lies beyond; ratios of what lies between are finite doubles."""
MOST_EVENTS = 10**15
MOST_BYTES = 2**63
RARE = 3
"""An arm with a third of another's rows may be a slip of the pen."""

WORDS = ("block", "arm", "session", "machine")
SIZE = "file_size"
Column = CodedColumn[Any] | NumberColumn | OrderColumn


class _Columns:
    """The columns of a table, by their names."""

    def __init__(self, names: Collection[str]) -> None:
        self.words = {name: CodedColumn(partial(_word, name)) for name in WORDS if name in names}
        self.numbers = {name: column for name, column in _of_numbers().items() if name in names}
        self.orders = {ORDER: OrderColumn()} if ORDER in names else {}
        self.sizes = {SIZE: CodedColumn(_size)} if SIZE in names else {}
        every = (self.words, self.numbers, self.orders, self.sizes)
        self.all: dict[str, Column] = {name: one for some in every for name, one in some.items()}


def _of_numbers() -> dict[str, NumberColumn]:
    return {
        "value": NumberColumn(_value, _within),
        "events": NumberColumn(_events, _are_events),
        "wall_s": NumberColumn(partial(_optional_number, "wall_s"), _within, optional=True),
        "disk_rate": NumberColumn(partial(_optional_number, "disk_rate"), _within, optional=True),
    }


def to_runs(sheet: Sheet) -> MeasuredRuns:
    """Return the runs of a table, one a row.

    Raises:
        TableError: A line is none of the table's; a cell is missing, is no number where one is needed, or
            cannot be a time, a rate, a number of events or a position in time; or two arms differ by the case
            of their letters alone.
    """
    columns = _Columns(sheet.columns)
    runs = _runs(columns, _gathered(sheet, columns))
    _check_spelling(runs)
    return runs


def _gathered(sheet: Sheet, columns: _Columns) -> Lines:
    """Gather all rows, and return where they stand.

    Raises:
        TableError: What is wrong with the order; else in the first row where something is, its first cell.
    """
    import numpy as np

    held: list[Lines] = []
    wrong: dict[str, tuple[int, int, TableError]] = {}
    for stretch in sheet.stretches:
        for name, cells in zip(sheet.columns, stretch.cells, strict=True):
            if name in wrong:
                continue
            try:
                columns.all[name].add(cells, stretch.lines)
            except TableError as error:
                row = next(at for at in range(len(cells)) if stretch.lines[at] == error.place)
                wrong[name] = len(held), row, error
        held.append(stretch.lines)
    if ORDER not in wrong:
        for column in columns.orders.values():
            column.check()
    if wrong:
        raise wrong[min(wrong, key=lambda name: (name != ORDER, *wrong[name][:2], KNOWN.index(name)))][2]
    return Lines(held[0].before, np.concatenate([lines.numbers for lines in held]))


def _runs(columns: _Columns, lines: Lines) -> MeasuredRuns:
    """Return the runs of columns; where there is no column, nothing is told."""
    import numpy as np

    rows = len(lines.numbers)

    def words(name: str) -> Coded[str]:
        if name not in columns.words:
            return Coded(np.zeros(rows, dtype=np.intp), ("",))
        column = columns.words[name].column()
        return named(column.codes, column.values)

    def numbers(name: str, held: Mapping[str, NumberColumn | OrderColumn] = columns.numbers) -> Numbers:
        return held[name].column() if name in held else np.full(rows, np.nan)

    blocks, block = in_blocks(words("machine"), words("session"), words("block"))
    return MeasuredRuns(
        blocks=blocks,
        block=block,
        arm=words("arm"),
        value=numbers("value"),
        events=numbers("events"),
        wall_s=numbers("wall_s"),
        disk_rate=numbers("disk_rate"),
        order=numbers(ORDER, columns.orders),
        file_bytes=columns.sizes[SIZE].column()
        if columns.sizes
        else Coded(np.zeros(rows, dtype=np.intp), (None,)),
        lines=lines,
    )


def spelling_notes(arm: Coded[str]) -> Iterator[str]:
    """Yield a note for each rare arm that is spelled nearly like a common one: a slip, or a treatment."""
    counts = {name: count for name, _, count in _first_rows(arm)}
    for name, count in counts.items():
        common = [other for other in counts if counts[other] >= RARE * count]
        for other in difflib.get_close_matches(name, common, n=1, cutoff=0.75):
            if _letters(name) != _letters(other):  # guest1 and guest2 are two treatments
                rows = f"{count} row{'' if count == 1 else 's'}"
                yield f"the arm '{name}' ({rows}) is spelled nearly like '{other}' ({counts[other]} rows)"


def _first_rows(arm: Coded[str]) -> list[tuple[str, int, int]]:
    """Return each arm with its first row and the number of its rows, in the order of these rows."""
    import numpy as np

    codes, rows, counts = np.unique(arm.codes, return_index=True, return_counts=True)
    found = zip(codes.tolist(), rows.tolist(), counts.tolist(), strict=True)
    return sorted(((arm.values[code], row, count) for code, row, count in found), key=lambda one: one[1])


def _letters(arm: str) -> str:
    return "".join(letter for letter in arm if not letter.isdigit())


def _word(column: str, cell: object, place: str) -> str:
    return as_word(cell, column, place)


def _value(cell: object, place: str) -> float:
    number = as_number(cell, "value", place)
    if not LEAST <= number <= MOST:
        above = "a number above 0" if number <= 0 else f"a time or a rate from {LEAST:g} to {MOST:g}"
        hint = "leave out runs that failed: they have no value" if number <= 0 else None
        raise TableError(place=place, expected=f"{above} in 'value'", actual=shown(cell), hint=hint)
    return number


def _optional_number(column: str, cell: object, place: str) -> float | None:
    """Return a figure that a value is held against; ``None`` where the cell is empty."""
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


def _within(numbers: Numbers) -> Mask:
    """Tell which numbers may be a time or a rate; NaN is none."""
    import numpy as np

    return np.asarray((numbers >= LEAST) & (numbers <= MOST))


def _events(cell: object, place: str) -> float:
    number = as_number(cell, "events", place)
    if not 0 <= number <= MOST_EVENTS or not number.is_integer():
        raise TableError(place=place, expected="a whole number >= 0 in 'events'", actual=shown(cell))
    return number


def _are_events(numbers: Numbers) -> Mask:
    """Tell which numbers may be a number of events; NaN is none."""
    import numpy as np

    return np.asarray((numbers >= 0) & (numbers <= MOST_EVENTS) & (np.floor(numbers) == numbers))


def _check_spelling(runs: MeasuredRuns) -> None:
    spelled: dict[str, tuple[str, int]] = {}
    for name, row, _ in _first_rows(runs.arm):
        first, at = spelled.setdefault(name.casefold(), (name, row))
        if first != name:
            expected = f"the arm '{first}' as at {runs.lines[at]}"
            raise TableError(place=runs.lines[row], expected=expected, actual=f"'{name}'")
