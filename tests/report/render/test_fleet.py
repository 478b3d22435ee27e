"""The page of several machines as text, Markdown and HTML."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assay.pages.fleet import FleetPage, LanesPage
from assay.report.charts.fleet import fleet_charts
from assay.report.render.fleet import SHOWN, markdown_fleet, text_fleet, text_lanes
from assay.report.render.fleet_html import html_fleet
from assay.report.render.json import to_json
from assay.results.fleet.fleet_rows import fleet_rows
from tests.report.fleets import LOSES, SLOW, page_with, planted
from tests.results.fleet.test_fleet_rows import machine, with_outliers


@pytest.fixture(scope="module")
def page() -> FleetPage:
    return page_with(fleet_rows(with_outliers()))


def test_text_lists_machines_metrics_and_outliers(page: FleetPage) -> None:
    text = text_fleet(page)
    assert "partial; 8 of 10 machines complete; seed 7" in text
    assert re.search(
        r"^n98 +out +2/9  A CPU, 2 processors, 8 GiB +unreachable: cannot reach <n98>", text, re.MULTILINE
    )
    assert re.search(r"^n99 +waiting +-  -$", text, re.MULTILINE)
    assert "outlier: n03 loses 40 %" in text
    assert text_lanes(LanesPage(page.id, page.title, page.state, page.lanes)).count("\n") == 1 + len(
        page.lanes
    )


def test_of_many_machines_those_that_are_not_complete_are_listed() -> None:
    page = page_with(fleet_rows([machine(f"m{at:03d}", 0.1) for at in range(SHOWN)]))
    text = text_fleet(page)
    assert "m000" not in text
    assert "n98" in text


def test_a_page_before_anything_was_measured_says_so() -> None:
    assert "nothing was measured yet" in text_fleet(page_with(()))
    assert html_fleet(page_with(())).startswith("<!DOCTYPE html>")


def test_markdown_escapes_what_machines_say(page: FleetPage) -> None:
    text = markdown_fleet(page)
    assert text.startswith("# Each machine against &lt;itself&gt;\n")
    assert "cannot reach &lt;n98&gt;" in text
    assert "- n03 loses 40 %" in text


def test_html_escapes_what_machines_say_and_links_their_pages(page: FleetPage) -> None:
    html = html_fleet(page)
    assert "<itself>" not in html
    assert "&lt;n98&gt;" in html
    assert '<a href="lanes/00000003/report.html">n03</a>' in html
    assert 'href="lanes/ffffff99' not in html
    assert "http:" not in html.split("</head>")[0]


@pytest.mark.parametrize("rates", [(100.0, 70.0), (100.0,), (100.0, 100.0)])
def test_the_axis_of_baselines_holds_all_of_them_with_or_without_outliers(rates: tuple[float, ...]) -> None:
    held = [machine(f"n{at}", 0.1, rate) for at, rate in enumerate(rates)]
    (chart,) = fleet_charts(page_with(fleet_rows(held)))
    for layer in chart["hconcat"][1]["layer"]:
        low, high = layer["encoding"]["x"]["scale"]["domain"]
        assert low < min(rates) <= max(rates) < high
    of_outliers = chart["hconcat"][0]["layer"][-1]["encoding"]["x"]["scale"]
    assert of_outliers == {"zero": False}, "that of the losses is the fleet's interval's"


def test_a_machine_of_no_known_class_is_drawn() -> None:
    page = page_with(fleet_rows([machine("n0", 0.1)]))
    lanes = tuple(replace(lane, hardware=None) for lane in page.lanes)
    (chart,) = fleet_charts(replace(page, lanes=lanes))
    (point,) = chart["data"]["values"]
    assert point["hardware"] in chart["hconcat"][0]["layer"][2]["encoding"]["color"]["scale"]["domain"]


def test_the_map_has_a_point_a_machine_and_marks_outliers(page: FleetPage) -> None:
    (chart,) = fleet_charts(page)
    values = {one["machine"]: one for one in chart["data"]["values"]}
    assert len(values) == 8
    assert [name for name, one in values.items() if one["loss_out"]] == ["n03"]
    assert [name for name, one in values.items() if one["baseline_out"]] == ["n06"]
    assert next(iter(values)) == "n03", "the largest loss is on top"


def test_the_map_of_the_documentation_names_both_planted_outliers_and_why_as_its_text_says() -> None:
    page = planted()
    (row,) = page.rows
    assert [(one.machine, one.of, [fact.field for fact in one.differs]) for one in row.outliers] == [
        (LOSES, "loss", ["general.thp"]),
        (SLOW, "baseline", ["general.governor"]),
    ]
    shown = (Path(__file__).parents[3] / "docs/fleet.md").read_text()
    lines = [line for line in text_fleet(page).splitlines() if line.startswith("outlier: ")]
    assert len(lines) == 2
    assert all(f"\n{line}\n" in shown for line in lines)


def test_a_thousand_machines_fit_on_one_map_without_names() -> None:
    (row,) = fleet_rows([machine(f"m{at:04d}", 0.1) for at in range(3)])
    many = page_with((replace(row, machines=row.machines * 334),))
    (chart,) = fleet_charts(many)
    assert chart["hconcat"][0]["height"] <= 3100
    assert chart["hconcat"][0]["layer"][2]["encoding"]["y"]["axis"]["labels"] is False


def test_json_is_whole_and_begins_with_its_schema(page: FleetPage) -> None:
    said = json.loads(to_json(page))
    assert list(said)[:2] == ["schema", "version"]
    assert said["rows"][0]["outliers"][0]["differs"][0]["field"] == "limits.processors"


def test_an_interval_that_ends_far_beyond_all_losses_is_cut_off_in_the_chart() -> None:
    page = page_with(fleet_rows(with_outliers()))
    (row, *_) = page.rows
    wild = replace(row.machines[0], low=-1e12, high=1.0)
    (chart, *_) = fleet_charts(replace(page, rows=(replace(row, machines=(wild, *row.machines[1:])),)))
    low, high = chart["hconcat"][0]["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert -2 < low < 0 < high <= 1
