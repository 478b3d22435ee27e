"""A file that says of a farm's nodes which are physical and which virtual, and of which class: CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.exchange.errors import TableError
from assay.exchange.given import NoFileError, read_given

COLUMNS, FURTHER = ("node", "kind", "class"), ("cores", "on")
"""The columns of every file, and those that may follow."""
CELLS = ("a node, physical or virtual", "a class", "its cores", "the machine that carries it")
KINDS = ("physical", "virtual")
HEADING = "node,kind,class[,cores[,on]]"
HINT = "a line like: wn[01-50],physical,EPYC 7763"
MOST_CORES = 1 << 16


class NodeLine(NamedTuple):
    """A line of the file.

    Attributes:
        place: ``nodes.csv:2``.
        nodes: Names as a batch system writes them, ``wn[01-50]``.
        virtual: They are guests.
        of_class: Their class.
        cores: Cores of each; ``None`` is "not known".
        on: Machine that carries them; ``None`` is "not known".
    """

    place: str
    nodes: str
    virtual: bool
    of_class: str
    cores: int | None = None
    on: str | None = None


def read_nodes(path: Path) -> Iterator[NodeLine]:
    """Yield the lines of a file of nodes; a comma in a host list needs no quotes.

    Raises:
        TableError: It cannot be read, or a line is wrong.
    """
    try:
        text = read_given(path).decode("utf-8-sig")
    except (OSError, NoFileError, UnicodeDecodeError) as error:
        got = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        raise TableError(place=str(path), expected="a CSV file of nodes", actual=got) from None
    rows = csv.reader(io.StringIO(text, newline=""))
    heading = tuple(cell.strip().lower() for cell in next(rows, []))
    further = heading[len(COLUMNS) :]
    if heading[: len(COLUMNS)] != COLUMNS or further != FURTHER[: len(further)]:
        got = f"'{','.join(heading):.60}'" if heading else "nothing"
        raise TableError(place=f"{path}:1", expected=HEADING, actual=got, hint=HINT)
    for cells in rows:
        if any(cell.strip() for cell in cells):
            yield _line([cell.strip() for cell in cells], f"{path}:{rows.line_num}", len(further))


def _line(cells: list[str], place: str, further: int) -> NodeLine:
    ends = len(cells) - further
    *nodes, kind, of_class = cells[:ends] if ends >= len(COLUMNS) else ("", "", "")
    cores, on = (*cells[ends:], "", "")[:2]
    if kind not in KINDS or not of_class or not all(nodes):
        *words, last = CELLS[: 2 + further]
        expected = f"{', '.join(words)}, and {last}"
        raise TableError(place=place, expected=expected, actual=_got(cells), hint=HINT)
    if cores and not (cores.isascii() and cores.isdigit() and 0 < int(cores[:9]) <= MOST_CORES):
        raise TableError(place=place, expected="a number of cores, or nothing", actual=f"'{cores:.40}'")
    virtual = kind == "virtual"
    if on and not virtual:
        raise TableError(place=place, expected="a carrier of virtual nodes only", actual=_got(cells))
    return NodeLine(place, ",".join(nodes), virtual, of_class, int(cores) if cores else None, on or None)


def _got(cells: list[str]) -> str:
    return f"'{','.join(cells):.60}'"
