"""Landscapes in every notation: what has no figure does not look like one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.report.charts.landscape import ends_of, landscape_charts, largest_loss
from assay.report.render.html import html_report
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.landscape import landscape_cells, landscape_headers, landscape_lines
from tests.report.landscaped import LANDSCAPES
from tests.report.pages import command_page, landscapes_page

READ, SIZES, CACHED = LANDSCAPES


def layer(spec: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [one for one in spec["layer"] if one["name"] == name]
    return found


def test_the_table_has_sizes_down_and_records_across_and_says_what_is_missing() -> None:
    assert landscape_headers(READ) == ("file", "by 4 KiB", "by 64 KiB", "by 1 MiB", "by 16 MiB")
    rows = landscape_cells(READ)
    assert [row[0] for row in rows] == ["64 MiB", "256 MiB", "1 GiB"]
    assert rows[0][1] == "72.0 % [69.0, 75.0] loss"
    assert rows[0][4] == "-"
    assert rows[2][1] == "not measured"
    assert rows[1][4].startswith("~1.0 % [")


def test_sizes_alone_make_one_column_and_one_row_of_a_chart() -> None:
    assert landscape_headers(SIZES) == ("file", "loss")
    chart = next(one for one in landscape_charts(landscapes_page()) if "sizes" in one["description"])
    assert chart["encoding"]["x"]["scale"]["domain"] == ["64 MiB", "256 MiB", "1 GiB"]
    assert len(chart["encoding"]["y"]["scale"]["domain"]) == 1
    assert chart["encoding"]["y"]["axis"] is None


def test_what_cannot_be_compared_shows_no_figure_but_why() -> None:
    assert landscape_cells(CACHED) == [("64 MiB", "not comparable", "not comparable")]
    (line,) = landscape_lines(CACHED)
    assert "not comparable at 64 MiB by 8 KiB, 64 MiB by 64 KiB: file of 64 MiB" in line
    assert len(landscape_charts(landscapes_page())) == 6
    for shown in (text_report, markdown_report, html_report):
        assert "41207" not in shown(landscapes_page())


def test_a_cell_that_cannot_be_compared_is_apart_and_changes_no_colour() -> None:
    cells = (replace(READ.cells[0], not_comparable="the page cache", baseline_value=9e9), *READ.cells[1:])
    mixed = replace(READ, cells=cells)
    assert ends_of(mixed)[1] < 9e9
    page = replace(landscapes_page(), landscapes=(mixed,))
    for chart in landscape_charts(page):
        apart = [value for value in chart["data"]["values"] if value["state"] == "apart"]
        assert [("value" in value, value["tip"]) for value in apart] == [(False, "the page cache")]


def test_both_arms_have_the_same_colours_and_the_loss_diverges_about_zero() -> None:
    host, guest, loss = landscape_charts(landscapes_page())[:3]
    colours = [layer(one, "cell")["encoding"]["color"]["scale"] for one in (host, guest, loss)]
    assert colours[0] == colours[1]
    assert colours[0]["domain"] == list(ends_of(READ))
    assert colours[2]["domain"] == [-(most := largest_loss(landscapes_page())), 0, most]
    assert most == max(abs(cell.loss) for cell in READ.cells if cell.loss is not None)


def test_every_point_of_the_grid_has_a_cell_and_zero_is_marked() -> None:
    loss = landscape_charts(landscapes_page())[2]
    values = loss["data"]["values"]
    assert len(values) == 12
    states = {(value["down"], value["across"]): value["state"] for value in values}
    assert states["64 MiB", "16 MiB"] == "missing"
    assert states["1 GiB", "4 KiB"] == "missing"
    assert states["256 MiB", "16 MiB"] == "zero"
    assert states["64 MiB", "4 KiB"] == "figure"


def test_the_ends_of_a_landscape_are_said() -> None:
    first, last = landscape_lines(READ)
    assert first.startswith("iozone read: smallest loss ~1.0 % [-2.0, 4.0] not decided at 256 MiB by 16 MiB")
    assert "largest 76.0 % [73.0, 79.0] loss at 256 MiB by 4 KiB" in first
    assert last.startswith("iozone read: not measured at 1 GiB by 4 KiB: 0 was measured")


def test_a_page_without_landscapes_has_no_section_of_them() -> None:
    assert landscape_charts(command_page()) == []
    assert "Landscapes" not in text_report(command_page())
    assert "\nLandscapes\n" in text_report(landscapes_page())
    assert "## Landscapes" in markdown_report(landscapes_page())
    assert 'id="landscapes"' in html_report(landscapes_page())
    assert "<b>sizes" not in html_report(landscapes_page())


def test_small_losses_are_pale_and_gains_beyond_the_end_are_said() -> None:
    small = replace(READ, cells=tuple(replace(cell, loss=0.0004) for cell in READ.cells))
    page = replace(landscapes_page(), landscapes=(small,))
    assert largest_loss(replace(page, result=replace(page.result, margin=0.002))) == 0.01
    assert largest_loss(replace(page, result=replace(page.result, margin=0.05))) == 0.05
    assert "or more" not in html_report(landscapes_page())
    gained = replace(READ, cells=(replace(READ.cells[0], loss=-3.2), *READ.cells[1:]))
    page = replace(page, landscapes=(gained,))
    assert largest_loss(page) == 1.0
    assert "gain 100 % or more" in html_report(page)


def test_sizes_that_round_to_the_same_text_keep_cells_of_their_own() -> None:
    close = (10**9, 10**9 + 1000)
    cells = tuple(replace(cell, size_bytes=size) for cell, size in zip(SIZES.cells[:2], close, strict=True))
    shown = replace(SIZES, cells=cells)
    names = ["1000000000 B", "1000001000 B"]
    chart = landscape_charts(replace(landscapes_page(), landscapes=(shown,)))[2]
    assert [value["across"] for value in chart["data"]["values"]] == names
    assert chart["encoding"]["x"]["scale"]["domain"] == names
    assert [row[0] for row in landscape_cells(shown)] == names
    records = tuple(
        replace(cell, size_bytes=4096, record_bytes=size) for cell, size in zip(cells, close, strict=True)
    )
    assert landscape_headers(replace(SIZES, cells=records))[1:] == tuple(f"by {name}" for name in names)
