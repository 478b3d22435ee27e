"""A flat table in Python, given as what its user works with: pandas, polars, Arrow, or plain rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib import import_module
from typing import Any

from assay.model.errors import MissingError
from assay.pages.flat import Cell, Cells, Column
from assay.pages.flat import Table as FlatTable
from assay.pages.numbers import value_text

SHOWN = 20
"""Rows of a table that are shown where it is the value of a cell of a notebook."""


class Table:
    """A table of a result or of a home: typed columns, ``None`` for what was not measured.

    It is iterated row by row, each a mapping of column to cell; ``len`` counts the rows.

    Attributes:
        name: Its name.
        about: What a row is, one sentence.
        columns: Its columns, each with ``name``, ``kind`` and ``about``.
    """

    def __init__(self, made: FlatTable) -> None:
        self.name, self.about, self.columns = made.name, made.about, made.columns
        self._rows: list[Cells] = list(made.rows())

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        names = [column.name for column in self.columns]
        return (dict(zip(names, row, strict=True)) for row in self._rows)

    def __getitem__(self, name: str) -> list[Cell]:
        """Return the cells of one column; raises ``KeyError`` where there is none of that name."""
        for at, column in enumerate(self.columns):
            if column.name == name:
                return [row[at] for row in self._rows]
        raise KeyError(name)

    def pandas(self) -> Any:
        """Return a ``pandas.DataFrame``; numbers are ``Int64`` and ``float64``, truths ``boolean``.

        Raises:
            MissingError: pandas is not installed.
        """
        pandas = _module("pandas")
        kinds = {str: "str", int: "Int64", float: "float64", bool: "boolean"}
        if int(pandas.__version__.split(".")[0]) < 3:  # its own type of text came with 3.0
            kinds[str] = "object"
        return pandas.DataFrame(
            {one.name: pandas.Series(self[one.name], dtype=kinds[one.kind]) for one in self.columns}
        )

    def polars(self) -> Any:
        """Return a ``polars.DataFrame``.

        Raises:
            MissingError: polars is not installed.
        """
        polars = _module("polars")
        kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
        schema = {one.name: kinds[one.kind] for one in self.columns}
        return polars.DataFrame(self._rows, schema=schema, orient="row")

    def arrow(self) -> Any:
        """Return a ``pyarrow.Table``; the fields carry what the columns hold as ``about``.

        Raises:
            MissingError: pyarrow is not installed.
        """
        arrow = _module("pyarrow")
        kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
        fields = [
            arrow.field(one.name, kinds[one.kind], metadata={"about": one.about}) for one in self.columns
        ]
        cells = [arrow.array(self[one.name], type=kinds[one.kind]) for one in self.columns]
        return arrow.Table.from_arrays(cells, schema=arrow.schema(fields))

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<assay table {self.name}: {len(self)} rows of {names}>"

    def _repr_html_(self) -> str:
        shown = self._held()
        return html_table(
            [column.name for column in shown],
            [[self[column.name][at] for column in shown] for at in range(min(SHOWN, len(self)))],
            note=f"{self.name}: {len(self)} rows. {self.about}",
        )

    def _held(self) -> Sequence[Column]:
        """Return the columns that have a cell at all."""
        held = {at for row in self._rows for at, cell in enumerate(row) if cell is not None}
        return [column for at, column in enumerate(self.columns) if at in held]


def html_table(names: Sequence[str], rows: Sequence[Sequence[Cell]], *, note: str) -> str:
    """Return a table as HTML; every text of it is escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_text(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p><small>{escape(note)}</small></p>"
    )


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return value_text(cell) if isinstance(cell, float) else str(cell)


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        msg = f"cannot give a table of {name}: it is not installed"
        raise MissingError(
            msg, hint=f"pip install {name}, or all three kinds of table: pip install 'assay[frames]'"
        ) from error
