"""A result as flat tables: columns from the page's fields, rows as CSV, JSON, LaTeX and Parquet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from assay.model.errors import UnknownNameError
from assay.pages.flat import PAGE_TABLES, Column, Table, fleet_table, page_table
from assay.report.render.flat_text import csv_pieces, json_pieces, latex_losses, latex_pieces
from assay.report.render.parquet import parquet
from assay.results.fleet.fleet_rows import fleet_rows
from tests.report.fleets import page_with
from tests.report.pages import PAGES
from tests.results.fleet.test_fleet_rows import with_outliers

MIXED = Table(
    "mixed",
    "One row a case.",
    (
        Column("word", str, "A word."),
        Column("count", int, ""),
        Column("share", float, ""),
        Column("is", bool, ""),
    ),
    lambda: [('a, "b"\nc', 2**60, 0.1, True), (None, None, None, None), ("=1+1", -3, -1e-300, False)],
)


@pytest.mark.parametrize("name", PAGE_TABLES)
@pytest.mark.parametrize("page", PAGES)
def test_every_cell_is_of_its_column_s_kind(page: str, name: str) -> None:
    made = page_table(PAGES[page](), name)
    assert len({column.name for column in made.columns}) == len(made.columns)
    assert all(column.about for column in made.columns)
    for row in made.rows():
        for column, cell in zip(made.columns, row, strict=True):
            whole = isinstance(cell, int) and not isinstance(cell, bool)
            assert cell is None or type(cell) is column.kind or (column.kind is float and whole), column


def test_rows_can_be_had_again_and_are_those_of_the_page() -> None:
    page = PAGES["quick"]()
    made = page_table(page, "estimates")
    names = [column.name for column in made.columns]
    assert list(made.rows()) == list(made.rows())
    for row, shown in zip(made.rows(), page.estimates, strict=True):
        cells = dict(zip(names, row, strict=True))
        assert (cells["workload"], cells["loss"], cells["verdict"]) == (
            shown.workload,
            shown.loss,
            shown.verdict.value,
        )
        assert cells["floor_loss"] == (shown.floor.loss if shown.floor else None)
    values = page_table(page, "values")
    assert sum(1 for _ in values.rows()) == sum(len(trial.metrics) for trial in page.trials)


def test_another_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="unknown table 'estimate'; nearest: 'estimates'"):
        page_table(PAGES["quick"](), "estimate")


def test_machines_are_tables_too() -> None:
    page = page_with(fleet_rows(with_outliers()))
    made = fleet_table(page, "estimates")
    assert [column.name for column in made.columns][:5] == [
        "workload",
        "metric",
        "unit",
        "treatment",
        "machine",
    ]
    assert sum(1 for _ in made.rows()) == sum(len(row.machines) for row in page.rows)
    assert sum(1 for _ in fleet_table(page, "machines").rows()) == len(page.lanes)


def test_csv_reads_back_and_no_cell_is_a_formula() -> None:
    rows = list(csv.reader(io.StringIO("".join(csv_pieces(MIXED)), newline="")))
    assert rows == [
        ["word", "count", "share", "is"],
        ['a, "b"\nc', str(2**60), "0.1", "true"],
        ["", "", "", ""],
        ["'=1+1", "-3", "-1e-300", "false"],
    ]


def test_json_has_the_columns_with_their_help_and_the_very_cells() -> None:
    made = json.loads("".join(json_pieces(MIXED)))
    assert [column["type"] for column in made["columns"]] == ["string", "integer", "number", "boolean"]
    assert made["columns"][0]["about"] == "A word."
    assert [tuple(row) for row in made["rows"]] == list(MIXED.rows())
    assert json.loads("".join(json_pieces(replace(MIXED, rows=list))))["rows"] == []


def test_parquet_has_the_types_and_the_very_cells_and_is_the_same_each_time(tmp_path: Path) -> None:
    data = parquet(MIXED)
    assert data == parquet(MIXED)
    (tmp_path / "mixed.parquet").write_bytes(data)
    with duckdb.connect() as database:
        found = database.read_parquet(str(tmp_path / "mixed.parquet"))
        assert [str(kind) for kind in found.types] == ["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]
        assert found.fetchall() == list(MIXED.rows())


def test_latex_shows_what_would_be_a_command_and_leaves_out_columns_without_a_cell() -> None:
    odd = Table(
        "odd",
        "",
        (Column("a_b", str, ""), Column("none", int, ""), Column("value", float, "")),
        lambda: [("5 % \\x {y} ~ #1 & $ ^_", None, 0.123456), ("±", None, None)],
    )
    assert "".join(latex_pieces(odd)).splitlines() == [
        "% needs \\usepackage{booktabs}",
        "\\begin{tabular}{lr}",
        "\\toprule",
        "a b & value \\\\",
        "\\midrule",
        r"5 \% \textbackslash{}x \{y\} \textasciitilde{} \#1 \& \$ \textasciicircum{}\_ & 0.1235 \\",
        "$\\pm$ & - \\\\",
        "\\bottomrule",
        "\\end{tabular}",
    ]


def test_losses_for_a_paper_are_those_of_the_report() -> None:
    page = PAGES["quick"]()
    text = "".join(latex_losses(page))
    assert text.count("\\\\\n") == len(page.estimates) + 1
    assert "91.99 to 92.52 \\%" in text
