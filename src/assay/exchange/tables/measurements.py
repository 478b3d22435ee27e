"""A CSV file of measurements -> cells with their lines; the file itself is opened elsewhere."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress, islice
from typing import NamedTuple

from assay.exchange.errors import TableError
from assay.exchange.tables.sheet import KNOWN, Sheet, Stretch, column_word, known_columns, position
from assay.model.figures.measured import Lines

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
AT_ONCE = 256
"""Rows whose cells are held at a time: so many stay in a processor's cache."""
FIRST = re.compile(r"\S[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*")
"""The first line that is not empty, without the space before it."""
ENDS = re.compile(r"\r\n|\r|\n")
"""Ends of lines, in a quoted cell."""


class _Taken(NamedTuple):
    """Cells of lines, and the number of each in the file."""

    rows: list[list[str]]
    numbers: Sequence[int]


Only = Mapping[str, Collection[str]]
"""Words of which a cell must be one, by column; a column may be any of the file's."""


def parse(data: bytes, *, name: str, only: Only | None = None) -> Sheet:
    """Return the cells of a CSV file.

    The first line names the columns, in any order. Cells are separated by commas, or by semicolons or
    tabs where the first line has them; quotes as in RFC 4180. A byte order mark, either kind of line
    end and empty lines are passed over.

    Args:
        data: The file's bytes, UTF-8.
        name: The file's name, for messages.
        only: Rows that are read; the others are passed over.

    Raises:
        TableError: Not UTF-8, or a column is missing; and where the cells are asked for: no row, a row with
            too few or too many cells, or one that is no CSV.
    """
    delimiter = _delimiter(_text(data, name))
    lines = _Lines(data, delimiter, name)
    header = lines.take(1)
    if not header.rows:
        raise TableError(place=name, expected="a line of column names and rows below it", actual="nothing")
    place = f"{name}:{header.numbers[0]}"
    positions, notes = known_columns(header.rows[0], place)
    wanted = {position(column, header.rows[0], place): words for column, words in (only or {}).items()}
    stretches = _stretches(lines, tuple(positions.values()), wanted)
    return Sheet(name, tuple(positions), stretches, (*_separated(delimiter, name), *notes))


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save it as CSV in UTF-8"
        actual = f"the byte 0x{data[error.start]:02x}"
        raise TableError(place=f"{name}:{line}", expected="text in UTF-8", actual=actual, hint=hint) from None


def _delimiter(text: str) -> str:
    """Return the separator that makes most known columns of the first line that is not empty."""
    found = FIRST.search(text)
    first = found[0] if found else ""

    def known(delimiter: str) -> int:
        return len({column_word(cell.strip().strip('"')) for cell in first.split(delimiter)} & set(KNOWN))

    return max(DELIMITERS, key=known)


def _separated(delimiter: str, name: str) -> Iterator[str]:
    if delimiter != ",":
        yield f"{name} is separated by {DELIMITERS[delimiter]}"


def _no_csv(place: str, error: csv.Error) -> TableError:
    if "field limit" in str(error):  # the csv module has no class of its own for it
        most = f"cells of at most {csv.field_size_limit():,} characters"
        hint = "look for a quote that is never closed: it makes one cell of all that follows"
        return TableError(place=place, expected=most, actual="a longer one", hint=hint)
    hint = "a quote inside a quoted text is written twice"
    return TableError(place=place, expected="a line of CSV", actual=f"'{error}'", hint=hint)


class _Lines:
    """The lines of a file that are not empty; a quoted cell may go over several lines."""

    def __init__(self, data: bytes, delimiter: str, name: str) -> None:
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
        self.name = name
        self._reader = csv.reader(text, delimiter=delimiter, strict=True)
        self._width = 0

    def take(self, most: int) -> _Taken:
        """Return the cells of the next lines, and the number of each; none at the end.

        Raises:
            TableError: A line is no CSV, or has another number of cells than the first.
        """
        reader = self._reader
        while True:
            before, wrong = reader.line_num, None
            rows: list[list[str]] = []
            try:
                rows.extend(islice(reader, most))  # an error leaves what came before it
            except csv.Error as error:
                wrong = error
            passed = reader.line_num - before
            if wrong is None and passed == len(rows) and set(map(len, rows)) <= {self._width or None}:
                return _Taken(rows, range(before + 1, before + 1 + passed))
            taken = self._one_by_one(rows, before, wrong)
            if taken.rows:
                return taken

    def _one_by_one(self, rows: Sequence[list[str]], before: int, wrong: csv.Error | None) -> _Taken:
        """Return the rows that are not empty, where not every row is one line.

        Args:
            rows: As they were read.
            before: The number of the line before them.
            wrong: Why what follows them is no CSV; ``None`` where nothing is wrong.
        """
        kept: list[list[str]] = []
        numbers: list[int] = []
        for cells in rows:
            if len(cells) == self._width > 0 or self._is_first(cells, before + 1):
                kept.append(cells)
                numbers.append(before + 1)
            before += 1 + sum(len(ENDS.findall(cell)) for cell in cells)
        if wrong is not None:
            place = f"{self.name}:{before + 1}"
            raise _no_csv(place, wrong) from None
        return _Taken(kept, numbers)

    def _is_first(self, cells: Sequence[str], number: int) -> bool:
        """Tell whether cells are those of the first line; an empty line is none."""
        if len(cells) <= 1 and not any(cell.strip() for cell in cells):
            return False
        if self._width:
            place, hint = f"{self.name}:{number}", "a text that holds the separator stands in quotes; "
            hint += "decimals are written with a point"
            expected, actual = f"{self._width} cells", f"{len(cells)}"
            raise TableError(place=place, expected=expected, actual=actual, hint=hint)
        self._width = len(cells)
        return True


def _stretches(
    lines: _Lines, positions: Sequence[int], wanted: Mapping[int, Collection[str]]
) -> Iterator[Stretch]:
    """Yield the cells of the known columns, some rows at a time."""
    import numpy as np

    taken, some = lines.take(AT_ONCE), False
    while taken.rows:
        if wanted:
            taken_on = [all(row[at].strip() in words for at, words in wanted.items()) for row in taken.rows]
            kept = _Taken(list(compress(taken.rows, taken_on)), list(compress(taken.numbers, taken_on)))
        else:
            kept = taken
        if kept.rows:
            columns = tuple(zip(*kept.rows, strict=True))
            if isinstance(kept.numbers, range):
                numbers = np.arange(kept.numbers.start, kept.numbers.stop, dtype=np.intp)
            else:
                numbers = np.array(kept.numbers, dtype=np.intp)
            yield Stretch(Lines(f"{lines.name}:", numbers), [columns[at] for at in positions])
            some = True
        taken = lines.take(AT_ONCE)
    if not some:
        below = "rows that --only takes" if wanted else "rows below the column names"
        raise TableError(place=lines.name, expected=below, actual="none")
