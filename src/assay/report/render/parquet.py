"""Flat tables as Parquet, written by DuckDB (the extra ``parquet``)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from assay.model.errors import MissingError
from assay.pages.flat import Kind, Table
from assay.report.render.flat_text import csv_pieces

SQL_TYPES: dict[Kind, str] = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


def parquet(table: Table) -> bytes:
    """Return a table as a Parquet file, each column by its type; the same table gives the same bytes.

    Raises:
        MissingError: DuckDB is not there.
    """
    try:
        import duckdb
    except ImportError as error:
        msg = "cannot write Parquet: DuckDB is not installed"
        raise MissingError(msg, hint="pip install 'assay[parquet]', or take --format csv") from error

    types = {column.name: SQL_TYPES[column.kind] for column in table.columns}
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, duckdb.connect() as database:
        rows, made = Path(folder, "rows.csv"), Path(folder, "rows.parquet")
        with rows.open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_pieces(table, guarded=False))
        database.execute(
            "SET threads = 1"
        )  # the order of rows, and with it the bytes, are the same each time
        read = database.read_csv(
            str(rows), header=True, columns=types, delimiter=",", quotechar='"', escapechar='"'
        )
        read.write_parquet(str(made), compression="zstd")
        return made.read_bytes()
