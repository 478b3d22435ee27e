"""Charts as files for papers and slides, and the report as a PDF."""

from __future__ import annotations

import re
import struct
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.errors import AssayError, MissingError
from assay.model.trial import Arm
from assay.report.charts.charts import GROUPS, charts, named_charts
from assay.report.charts.fleet import named_fleet_charts
from assay.report.charts.scaling import rate_chart
from assay.report.render import pdf
from assay.report.render.figure import FORMATS, SIZES, alone, draw
from assay.report.render.html import html_report
from assay.results.fleet.fleet_rows import fleet_rows
from tests.report.fleets import page_with
from tests.report.pages import PAGES, scaling_page
from tests.results.fleet.test_fleet_rows import with_outliers

LABEL = "disk.cache=writethrough, cpu.mode=host-passthrough"
DEPTH = 15
"""Groups within groups, as browsers print them."""
LEAST_PATHS = 5
"""Of a chart: the lines of its axes alone are more."""


def _points(data: bytes) -> tuple[float, float]:
    """Return width and height of a file, points."""
    if data.startswith(b"%PDF"):
        box = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", data)
        assert box is not None
        return float(box[1]), float(box[2])
    if data.startswith(b"\x89PNG"):
        wide, high = struct.unpack(">II", data[16:24])
        return wide * 72 / 300, high * 72 / 300
    extent = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', data.decode())
    assert extent is not None
    return float(extent[1]), float(extent[2])


def _seen(document: bytes) -> list[tuple[str, Mapping[int, int], bytes]]:
    """Return what a reader sees of each page: its text, how many paths, pictures and texts it has by their
    kind, and the page drawn.
    """
    import pypdfium2

    with pypdfium2.PdfDocument(document) as opened:
        return [
            (
                page.get_textpage().get_text_range(),
                Counter(one.type for one in page.get_objects(max_depth=DEPTH)),
                bytes(page.render(scale=1).buffer),
            )
            for page in opened
        ]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("size", SIZES)
def test_a_chart_is_as_wide_as_it_is_asked_for_in_every_format(form: str, size: str) -> None:
    chart = named_charts(PAGES["quick"]())["loss"]
    drawn = draw(chart, form, SIZES[size])
    width, height = _points(drawn)
    assert width / 72 * 25.4 == pytest.approx(SIZES[size].width_mm, rel=0.01)
    assert 0.2 < height / width < 2
    again = draw(chart, form, SIZES[size])
    if form == "pdf":  # it holds when it was made
        assert _seen(drawn) == _seen(again)
    else:
        assert drawn == again


@pytest.mark.parametrize("page", PAGES)
def test_every_chart_has_a_name_and_can_be_drawn(page: str) -> None:
    named = named_charts(PAGES[page]())
    assert list(named.values()) == charts(PAGES[page]())
    assert {name.partition("-")[0] for name in named} <= set(GROUPS)
    for name, chart in named.items():
        drawn = draw(chart, "svg", SIZES["column"]).decode()
        assert "<path" in drawn, name
        assert "NaN" not in drawn, name


def test_a_chart_of_machines_can_be_drawn() -> None:
    page = page_with(fleet_rows(with_outliers()))
    for name, chart in named_fleet_charts(page).items():
        assert name.startswith("loss")
        drawn = draw(chart, "pdf", SIZES["page"])
        assert _points(drawn)[0] / 72 * 25.4 == pytest.approx(SIZES["page"].width_mm, rel=0.01)


@pytest.mark.parametrize("size", SIZES)
def test_a_long_label_of_a_legend_is_drawn_in_full(size: str) -> None:
    shown = scaling_page().scalings[0]
    curves = [replace(one, label=LABEL) if one.arm is Arm.TREATMENT else one for one in shown.curves]
    chart = rate_chart(replace(shown, curves=tuple(curves)))
    assert f">{LABEL}<" in draw(chart, "svg", SIZES[size]).decode()


@pytest.mark.parametrize(("size", "columns"), [("column", 1), ("page", 2), ("slide", 2)])
def test_labels_of_a_legend_that_are_too_many_for_a_line_stand_in_columns(size: str, columns: int) -> None:
    over_time = named_charts(PAGES["weights"]())["weight-2"]
    legend = alone(over_time, SIZES[size], "svg")["config"]["legend"]
    assert legend["columns"] == columns
    assert legend["labelLimit"] < SIZES[size].pixels


def test_labels_of_a_legend_that_have_room_stand_in_a_line() -> None:
    for name in ("loss", "trial-1"):
        chart = named_charts(PAGES["quick"]())[name]
        assert "columns" not in alone(chart, SIZES["column"], "svg")["config"]["legend"]


def test_without_vl_convert_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingError) as told:
        draw({}, "png", SIZES["slide"])
    assert told.value.hint is not None
    assert "assay[figures]" in told.value.hint


def test_without_a_browser_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="no Chromium or Chrome"):
        pdf.print_pdf("<p>")


@pytest.mark.parametrize(
    ("script", "told"), [("sleep 60 & wait", "took longer than 0.5 s"), ("echo no display >&2", "no display")]
)
def test_a_browser_that_prints_nothing_is_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, told: str
) -> None:
    browser = tmp_path / "chromium"
    browser.write_text(f"#!/bin/sh\n{script}\n")
    browser.chmod(0o755)
    monkeypatch.setattr(pdf, "BROWSERS", (str(browser),))
    monkeypatch.setattr(pdf, "LONGEST_S", 0.5)
    with pytest.raises(AssayError, match=told):
        pdf.print_pdf("<p>")


@pytest.mark.live
def test_the_report_as_pdf_has_the_text_and_the_pictures_of_the_page() -> None:
    import pypdfium2
    import pypdfium2.raw

    page = PAGES["quick"]()
    printed, again = (pdf.print_pdf(html_report(page)) for _ in range(2))
    seen = _seen(printed)
    assert seen == _seen(again)
    paths = sum(kinds[pypdfium2.raw.FPDF_PAGEOBJ_PATH] for _, kinds, _ in seen)
    assert paths > LEAST_PATHS * len(charts(page))
    axis = f"loss of throughput, {page.result.treatment} against"  # words of a chart alone
    assert axis in "".join(text for text, _, _ in seen)
    with pypdfium2.PdfDocument(printed) as document:
        text = "\n".join(one.get_textpage().get_text_range() for one in document)
        width, height = document[0].get_size()
        pages = len(document)
    assert (round(width / 72 * 25.4), round(height / 72 * 25.4)) == (210, 297)
    for row in page.estimates:  # a name may be broken in a narrow column
        assert text.count(row.metric) >= 2, row.metric
    assert f"1 / {pages}" in text
