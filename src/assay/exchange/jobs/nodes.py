"""A file that says of a farm's nodes which are physical and which virtual, and of which class: CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.exchange.errors import TableError
from assay.exchange.given import NoFileError, read_given

COLUMNS = ("node", "kind", "class")
KINDS = ("physical", "virtual")
HINT = "a line like: wn[01-50],physical,EPYC 7763"


class NodeLine(NamedTuple):
    """A line: names as a batch system writes them (``wn[01-50]``), whether they are virtual, their class."""

    place: str
    nodes: str
    virtual: bool
    of_class: str


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
    heading = [cell.strip().lower() for cell in next(rows, [])]
    if tuple(heading) != COLUMNS:
        got = f"'{','.join(heading):.60}'" if heading else "nothing"
        raise TableError(place=f"{path}:1", expected=",".join(COLUMNS), actual=got, hint=HINT)
    for cells in rows:
        if any(cell.strip() for cell in cells):
            yield _line([cell.strip() for cell in cells], f"{path}:{rows.line_num}")


def _line(cells: list[str], place: str) -> NodeLine:
    *nodes, kind, of_class = cells if len(cells) >= len(COLUMNS) else ("", "", "")
    if kind not in KINDS or not of_class or not all(nodes):
        got, expected = f"'{','.join(cells):.60}'", "a node, physical or virtual, and a class"
        raise TableError(place=place, expected=expected, actual=got, hint=HINT)
    return NodeLine(place, ",".join(nodes), kind == "virtual", of_class)
