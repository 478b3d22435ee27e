"""Flat tables as text: CSV, JSON, LaTeX, piece by piece, so that no table need fit into memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from assay.pages.context import Page
from assay.pages.flat import Cell, Kind, Table
from assay.pages.numbers import value_text
from assay.report.tables.tables import plain
from assay.report.tables.words import cells, headers

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Begins what a spreadsheet computes."""
JSON_TYPES: dict[Kind, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}", "±": r"$\pm$", "≥": r"$\ge$", "≤": r"$\le$", "×": r"$\times$", "−": "$-$", "–": "--",
    "µ": r"\textmu{}", "→": r"$\to$", "←": r"$\gets$", "·": r"$\cdot$", "…": r"\dots{}",
}  # fmt: skip


def csv_pieces(table: Table, *, guarded: bool = True) -> Iterator[str]:
    """Yield a table as CSV (RFC 4180, lines ending as on Unix); an empty cell is one that is not there.

    Args:
        table: The table.
        guarded: Put an apostrophe before a text that a spreadsheet would take for a formula.
    """
    yield _csv_line([column.name for column in table.columns])
    for row in table.rows():
        yield _csv_line([_csv_cell(cell, guarded=guarded) for cell in row])


def json_pieces(table: Table) -> Iterator[str]:
    """Yield a table as one JSON document: its columns with their help, then a row a line."""
    columns = [{"name": one.name, "type": JSON_TYPES[one.kind], "about": one.about} for one in table.columns]
    head = {"schema": "assay.table", "version": [1, 0], "name": table.name, "about": table.about}
    yield json.dumps({**head, "columns": columns}, ensure_ascii=False)[:-1] + ', "rows": ['
    before = "\n"
    for row in table.rows():
        yield f"{before} {json.dumps(row, ensure_ascii=False, allow_nan=False)}"
        before = ",\n"
    yield "\n]}\n"


def latex_pieces(table: Table) -> Iterator[str]:
    """Yield a table for LaTeX: numbers to what a reader needs; columns without any cell are left out."""
    rows = list(table.rows())
    held = [at for at, _ in enumerate(table.columns) if any(row[at] is not None for row in rows)]
    columns = [table.columns[at] for at in held]
    yield from _tabular(
        [column.name.replace("_", " ") for column in columns],
        ([_shown(row[at]) for at in held] for row in rows),
        [column.kind in {int, float} for column in columns],
    )


def latex_losses(page: Page) -> Iterator[str]:
    """Yield the table of losses for LaTeX, as the report has it."""
    names = headers(page)
    rows = (cells(row) for row in page.estimates)
    yield from _tabular(names, rows, [at in {2, 3, 5, 8} for at, _ in enumerate(names)])


def _tabular(names: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    """Yield a ``tabular`` (booktabs) of cells that are text for people."""
    yield "% needs \\usepackage{booktabs}\n"
    yield f"\\begin{{tabular}}{{{''.join('r' if one else 'l' for one in right)}}}\n\\toprule\n"
    yield f"{_latex_line(names)}\\midrule\n"
    yield from map(_latex_line, rows)
    yield "\\bottomrule\n\\end{tabular}\n"


def _latex_text(text: str) -> str:
    """Return a text for LaTeX: what would be a command of it is shown instead."""
    return "".join(_SPECIAL.get(char, char) for char in plain(text))


def _latex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(map(_latex_text, cells))} \\\\\n"


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return value_text(cell) if isinstance(cell, float) else str(cell)


def _csv_line(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _csv_cell(cell: Cell, *, guarded: bool) -> Cell:
    if isinstance(cell, bool):
        return str(cell).lower()
    return f"'{cell}" if guarded and isinstance(cell, str) and cell.startswith(FORMULA) else cell
