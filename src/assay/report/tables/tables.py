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
    columns = [[plain(cell) for cell in column] for column in zip(headers, *rows, strict=True)]
    padded = [_padded(column, right=at in right) for at, column in enumerate(columns)]
    if paint is not None:
        for x, (_, *cells) in enumerate(padded):
            padded[x][1:] = [paint(y, x, cell) for y, cell in enumerate(cells)]
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))


def _padded(cells: Sequence[str], *, right: bool) -> list[str]:
    """Return the cells of a column filled with spaces to the width of the widest."""
    widths = [width(cell) for cell in cells]
    widest = max(widths)
    spaces = [" " * (widest - own) for own in widths]
    pairs = zip(spaces, cells, strict=True) if right else zip(cells, spaces, strict=True)
    return [first + second for first, second in pairs]


def plain(text: str) -> str:
    r"""Return the text on one line with control and direction characters spelled out, ``\x1b``, ``\n``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


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
