"""A CSV file of measurements -> rows with their lines; the file itself is opened elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from assay.exchange.errors import TableError
from assay.exchange.tables.sheet import KNOWN, Sheet, column_word, known_columns

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
Line = tuple[str, list[str]]


def parse(data: bytes, *, name: str) -> Sheet:
    """Return the cells of a CSV file.

    The first line names the columns, in any order. Cells are separated by commas, or by semicolons or
    tabs where the first line has them; quotes as in RFC 4180. A byte order mark, either kind of line
    end and empty lines are passed over.

    Args:
        data: The file's bytes, UTF-8.
        name: The file's name, for messages.

    Raises:
        TableError: Not UTF-8, no row, a column is missing, or a row has too few or too many cells.
    """
    text = _text(data, name)
    delimiter = _delimiter(text)
    lines = _lines(text, delimiter, name)
    place, header = next(lines, (name, []))
    if not header:
        raise TableError(place=name, expected="a line of column names and rows below it", actual="nothing")
    positions, notes = known_columns(header, place)
    rows = tuple(_cells(line, len(header), tuple(positions.values())) for line in lines)
    if not rows:
        raise TableError(place=name, expected="rows below the column names", actual="none")
    return Sheet(name, tuple(positions), rows, (*_separated(delimiter, name), *notes))


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
    first = next((line for line in text.splitlines() if line.strip()), "")

    def known(delimiter: str) -> int:
        return len({column_word(cell.strip().strip('"')) for cell in first.split(delimiter)} & set(KNOWN))

    return max(DELIMITERS, key=known)


def _separated(delimiter: str, name: str) -> Iterator[str]:
    if delimiter != ",":
        yield f"{name} is separated by {DELIMITERS[delimiter]}"


def _lines(text: str, delimiter: str, name: str) -> Iterator[Line]:
    """Yield place and cells of each line that is not empty; a quoted cell may go over several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        place = f"{name}:{reader.line_num + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _no_csv(place, error) from None
        if any(cell.strip() for cell in cells) or len(cells) > 1:
            yield place, cells


def _no_csv(place: str, error: csv.Error) -> TableError:
    if "field limit" in str(error):  # the csv module has no class of its own for it
        most = f"cells of at most {csv.field_size_limit():,} characters"
        hint = "look for a quote that is never closed: it makes one cell of all that follows"
        return TableError(place=place, expected=most, actual="a longer one", hint=hint)
    hint = "a quote inside a quoted text is written twice"
    return TableError(place=place, expected="a line of CSV", actual=f"'{error}'", hint=hint)


def _cells(line: Line, width: int, positions: Sequence[int]) -> tuple[str, tuple[object, ...]]:
    place, cells = line
    if len(cells) != width:
        hint = "a text that holds the separator stands in quotes; decimals are written with a point"
        raise TableError(place=place, expected=f"{width} cells", actual=f"{len(cells)}", hint=hint)
    return place, tuple(cells[at] for at in positions)
