"""A table in Python -> cells with the numbers of their rows: columns, rows or a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.exchange.errors import TableError
from assay.exchange.tables.sheet import Sheet, Stretch, known_columns
from assay.model.figures.measured import Lines

ACCEPTED = "a mapping of columns to sequences, rows as mappings, a data frame, or the path of a CSV file"
AT_ONCE = 8192
"""Rows whose cells are taken at a time."""


def from_table(table: object) -> Sheet:
    """Return the cells of a table in Python; rows are counted from 1.

    Args:
        table: A mapping of column to sequence, an iterable of mappings, or anything with ``columns`` and
            ``[name]`` such as a data frame of pandas or polars.

    Raises:
        TableError: It is nothing of these, has no row, columns are missing or of different lengths.
    """
    if isinstance(table, Mapping):
        return _sheet({name: _column(name, table[name]) for name in table})
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        frame: Any = table
        return _sheet({name: list(frame[name]) for name in frame.columns})
    if isinstance(table, Iterable) and not isinstance(table, str | bytes):
        return _of_rows(list(table))
    raise TableError(place="the table", expected=ACCEPTED, actual=type(table).__name__)


def _column(name: object, cells: object) -> list[object]:
    if isinstance(cells, Iterable) and not isinstance(cells, str | bytes):
        return list(cells)
    kind = type(cells).__name__
    raise TableError(place=f"column '{name}' of the table", expected="a sequence of cells", actual=kind)


def _of_rows(rows: Sequence[object]) -> Sheet:
    names: dict[object, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise TableError(place=f"row {number}", expected="a mapping", actual=type(row).__name__)
        names |= dict.fromkeys(row)
    # a row that lacks a column has an empty cell there, which is named where the cell is needed
    return _sheet({name: [row.get(name) for row in rows if isinstance(row, Mapping)] for name in names})


def _sheet(columns: Mapping[Any, Sequence[object]]) -> Sheet:
    names = list(columns)
    if not names or not any(len(cells) for cells in columns.values()):
        raise TableError(place="the table", expected="rows", actual="none")
    positions, notes = known_columns(names, "the table")
    lengths = {word: len(columns[names[at]]) for word, at in positions.items()}
    if len(set(lengths.values())) > 1:
        reported = ", ".join(f"{word} {length}" for word, length in lengths.items())
        raise TableError(place="the table", expected="columns of one length", actual=reported)
    if not lengths["block"]:
        raise TableError(place="the table", expected="rows", actual="none")
    cells = [columns[names[at]] for at in positions.values()]
    return Sheet("the table", tuple(positions), _stretches(cells), notes)


def _stretches(columns: Sequence[Sequence[object]]) -> Iterator[Stretch]:
    import numpy as np

    for at in range(0, len(columns[0]), AT_ONCE):
        cells = [column[at : at + AT_ONCE] for column in columns]
        numbers = np.arange(at + 1, at + 1 + len(cells[0]), dtype=np.intp)
        yield Stretch(Lines("row ", numbers), cells)
