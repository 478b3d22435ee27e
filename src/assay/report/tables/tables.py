"""Plain aligned tables: never wrapped, never coloured by themselves, safe to print whatever the
cells hold.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Sequence

Paint = Callable[[int, int, str], str]
"""Row, column and padded cell in, the cell as printed out."""


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    paint: Paint | None = None,
) -> str:
    """Return an aligned table: the headers and one line a row, columns two spaces apart.

    Args:
        headers: Names of the columns.
        rows: Cells; each row as long as ``headers``.
        right: Columns that are flush right.
        paint: Colours a padded cell; it must not change the cell's width.

    Returns:
        Lines joined by newlines, without one at the end; no line has trailing spaces.
    """
    cells = [[plain(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(width(cell) for cell in column) for column in zip(*cells, strict=True)]
    padded = [[pad(cell, widths[at], right=at in right) for at, cell in enumerate(row)] for row in cells]
    if paint is not None:
        padded[1:] = [[paint(y, x, cell) for x, cell in enumerate(row)] for y, row in enumerate(padded[1:])]
    return "\n".join("  ".join(row).rstrip() for row in padded)


def plain(text: str) -> str:
    r"""Return the text on one line with control and direction characters spelled out, ``\x1b``, ``\n``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Return the text filled with spaces to a number of terminal columns."""
    space = " " * (columns - width(text))
    return space + text if right else text + space


def width(text: str) -> int:
    """Return the terminal columns of a text: East Asian wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(_columns(char) for char in text)


def align(cells: Sequence[str], mark: str) -> list[str]:
    """Return the cells shifted right so that the first ``mark`` of each stands in one column."""
    heads = [cell.find(mark) for cell in cells]
    column = max(heads, default=-1)
    return [cell if at < 0 else " " * (column - at) + cell for at, cell in zip(heads, cells, strict=True)]


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
