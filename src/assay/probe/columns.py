"""Columns of numbers from comma-separated text, read a piece at a time: of a long series only what is asked
for is held.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Places = NDArray[np.intp]
    Numbers = NDArray[np.float64]

PIECE_BYTES = 1 << 20
"""Read at once."""
COMMA, NEWLINE, DOT, ZERO = b",\n.0"
FIRST_OF_CELL, ASCII = b"-"[0], 0x7F
"""No byte below the first stands in a cell of a plain number, and none above the second in any plain text."""
MOST_DIGITS = 19
"""Of a whole number that fits 64 bits, whatever its digits are."""
EXACT = 1 << 53
"""Whole numbers up to this are doubles, as are the powers of ten up to 22: one division of both is rounded
once, as the number itself is.
"""


def read_columns(file: BinaryIO, wanted: Collection[str] | None, least: str) -> dict[str, Numbers]:
    """Return the columns of a series by name; NaN is an empty cell, or one that is no finite number.

    Args:
        file: Comma-separated values with a line of names, at its begin.
        wanted: Names of the columns that are read, where there are such; ``None`` is all.
        least: Name of a column without whose number a line is left out; where there is one it is read, too.

    Returns:
        One double a line, each column by itself: the nearest to what its cell says. A line that was not
        wholly written is left out, and one of more or fewer cells than there are names.
    """
    import numpy as np

    line = _whole_line(file)
    if not line:
        return {}
    head, *rest = _text(line).splitlines() or [""]
    names = head.split(",")
    last = {name: at for at, name in enumerate(names)}
    places = {name: at for name, at in last.items() if wanted is None or name in wanted or name == least}
    key = names.index(least) if least in names else None
    taken = sorted({*places.values(), *(() if key is None else (key,))})
    tables = [_of_lines(rest, len(names), taken)]
    tables += [_of_piece(piece, len(names), taken) for piece in _pieces(file)]
    columns = {at: np.concatenate([table[row] for table in tables]) for row, at in enumerate(taken)}
    if key is not None:
        known = ~np.isnan(columns[key])
        if not known.all():
            columns = {at: values[known] for at, values in columns.items()}
    return {name: columns[at] for name, at in places.items()}


def _whole_line(file: BinaryIO) -> bytes:
    line = file.readline()
    return line if line.endswith(b"\n") else b""


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines, many at once; what follows the last end of a line is left out."""
    left = b""
    while piece := file.read(PIECE_BYTES):
        piece = left + piece
        end = piece.rfind(b"\n") + 1
        left = piece[end:]
        if end:
            yield piece[:end]


def _of_piece(piece: bytes, cells: int, taken: Sequence[int]) -> Numbers:
    """Return what some columns say in some lines: a row a column."""
    import numpy as np

    text = np.frombuffer(piece, dtype=np.uint8)
    ends = np.flatnonzero(text < FIRST_OF_CELL)
    if not _is_plain(text, ends, cells):
        return _of_lines(_text(piece).splitlines(), cells, taken)
    starts = np.concatenate([[0], ends[:-1] + 1])
    return np.array([_numbers(text, starts[at::cells], ends[at::cells]) for at in taken])


def _is_plain(text: Bytes, ends: Places, cells: int) -> bool:
    """Tell whether every line has so many cells, and nothing but commas and ends of lines between them."""
    if len(ends) % cells or text.max() > ASCII:
        return False
    found = text[ends].reshape(-1, cells)
    return bool((found[:, :-1] == COMMA).all() and (found[:, -1] == NEWLINE).all())


def _of_lines(lines: Sequence[str], cells: int, taken: Sequence[int]) -> Numbers:
    """Return the same of lines that may have anything in them."""
    import numpy as np

    rows = [row for row in (line.split(",") for line in lines) if len(row) == cells]
    return np.array([[_number(row[at]) for row in rows] for at in taken]).reshape(len(taken), len(rows))


def _numbers(text: Bytes, starts: Places, ends: Places) -> Numbers:
    """Return the numbers of cells by their digits; of what is no plain decimal number by itself."""
    import numpy as np

    length = ends - starts
    number, digits, decimals, dots = _digits(text, starts, length)
    plain = (digits > 0) & (digits <= MOST_DIGITS) & (dots <= 1) & (digits + dots == length)
    plain &= (decimals == 0) | (number <= EXACT)
    values = number.astype(np.float64)
    if decimals.any():
        values /= np.power(10.0, np.arange(MOST_DIGITS + 2))[decimals]
    values[~plain] = math.nan
    for at in np.flatnonzero(~plain & (length > 0)).tolist():
        values[at] = _number(_text(text[starts[at] : ends[at]].tobytes()))
    return values


def _digits(
    text: Bytes, starts: Places, length: Places
) -> tuple[NDArray[np.uint64], Places, Places, NDArray[np.intp]]:
    """Return the number that a cell's digits make without its dot, how many there are, how many of them
    follow a dot, and how many dots; of the first ``MOST_DIGITS + 1`` bytes of it.
    """
    import numpy as np

    number = np.zeros(len(starts), dtype=np.uint64)
    digits, decimals, dots = (np.zeros(len(starts), dtype=np.intp) for _ in range(3))
    for at in range(min(int(length.max(initial=0)), MOST_DIGITS + 1)):
        byte = text.take(starts + at, mode="clip")
        inside = at < length
        digit = byte - np.uint8(ZERO)  # of other bytes more than 9: it wraps around
        counts = (digit <= 9) & inside
        number = np.where(counts, number * np.uint64(10) + digit, number)
        digits += counts
        dots += (byte == DOT) & inside
        decimals += counts & (dots > 0)
    return number, digits, decimals, dots


def _text(line: bytes) -> str:
    return line.decode(errors="replace")


def _number(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan
