"""Columns of cells with their places: what a file and a table of Python have in common."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.exchange.errors import TableError
from assay.model.errors import choices
from assay.model.figures.measured import Lines

NEEDED = ("block", "arm", "value")
BESIDE = ("wall_s", "file_size", "disk_rate")
"""What a value is held against; a cell of these may be empty."""
OPTIONAL = ("session", "machine", "events", "order", *BESIDE)
KNOWN = (*NEEDED, *OPTIONAL)


@dataclass(frozen=True)
class Stretch:
    """Some rows that follow each other, column by column.

    Attributes:
        lines: Where each of them stands.
        cells: Of each column of the sheet its cells, one a row.
    """

    lines: Lines
    cells: Sequence[Sequence[object]]


@dataclass(frozen=True)
class Sheet:
    """Cells as they are found.

    Attributes:
        name: Name of the file or table, for messages.
        columns: The known columns that it has, in the order of ``KNOWN``.
        stretches: All rows, at least one; they are read as they are asked for, once, and a ``TableError``
            ends them at a line that is none of the table's.
        notes: What a person should know of how it was read, one sentence each.
    """

    name: str
    columns: tuple[str, ...]
    stretches: Iterator[Stretch]
    notes: tuple[str, ...] = ()


def column_word(name: object) -> str:
    """Return a column's name as it is compared: without surrounding space, in lower case."""
    return str(name).strip().lower()


def position(name: str, names: Sequence[object], place: str) -> int:
    """Return where a column stands among all of a table.

    Raises:
        TableError: There is none of that name.
    """
    words = [column_word(one) for one in names]
    if column_word(name) not in words:
        expected = f"a column '{name}'"
        raise TableError(place=place, expected=expected, actual=f"none{choices(column_word(name), words)}")
    return words.index(column_word(name))


def known_columns(names: Sequence[object], place: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the position of each known column, and a note on those that are not used.

    Args:
        names: Names of all columns, in any order.
        place: Where they stand, for messages.

    Raises:
        TableError: One that is needed is missing, or a known one stands there twice.
    """
    words = [column_word(name) for name in names]
    missing = [name for name in NEEDED if name not in words]
    if missing:
        raise TableError(
            place=place,
            expected=f"the columns {', '.join(NEEDED)}",
            actual=f"no '{missing[0]}'{_columns_text(missing[0], words)}",
            hint="the first line names the columns: block,arm,value and, where known, "
            "session,machine,events,order",
        )
    for name in KNOWN:
        if words.count(name) > 1:
            raise TableError(place=place, expected=f"one column '{name}'", actual=f"{words.count(name)}")
    return {name: words.index(name) for name in KNOWN if name in words}, tuple(_unused(words))


def _columns_text(missing: str, words: Sequence[str]) -> str:
    near = difflib.get_close_matches(missing, [w for w in words if w not in KNOWN], n=1, cutoff=0.5)
    nearest = f"; nearest: '{near[0]}'" if near else ""
    shown = ", ".join(word[:20] or "''" for word in words[:8])
    return f"{nearest} (found: {shown}{', …' if len(words) > 8 else ''})"


def _unused(words: Iterable[str]) -> Iterable[str]:
    others = [word for word in words if word not in KNOWN]
    if others:
        plural = "columns are" if len(others) > 1 else "column is"
        yield f"{len(others)} {plural} not used: {', '.join(repr(word[:20]) for word in others[:8])}"
