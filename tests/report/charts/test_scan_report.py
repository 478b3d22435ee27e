"""Fixed cost and slope in a report: what the charts hold, and how figures are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.pages.families.events import Quantity
from assay.report.charts.scan import scan_charts, times_chart, total_chart
from assay.report.render.text import text_report
from assay.report.tables.scan_words import about, fit_words, scan_cells, scan_sentences, seconds_text
from tests.report.pages import quick_page, scan_page

KINKED, PLAIN, ONCE = scan_page().scans
RESULT = scan_page().result


def layer(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return next(layer for layer in spec["layer"] if layer["name"] == name)


def names(spec: dict[str, Any]) -> list[str]:
    return [layer["name"] for layer in spec["layer"]]


def test_only_scans_with_a_line_have_charts() -> None:
    assert len(scan_charts(scan_page())) == 4
    assert scan_charts(quick_page()) == []


def test_the_chart_of_the_total_holds_curve_band_points_asymptote_and_margin_unrounded() -> None:
    spec = total_chart(PLAIN)
    assert [(v["events"], v["loss"], v["low"]) for v in spec["data"]["values"]] == [
        (point.events, point.loss, point.low) for point in PLAIN.curve
    ]
    assert [v["loss"] for v in layer(spec, "point")["data"]["values"]] == [size.loss for size in PLAIN.sizes]
    assert layer(spec, "asymptote")["encoding"]["y"]["datum"] == PLAIN.asymptote
    (margin,) = layer(spec, "margin")["data"]["values"]
    assert margin["high"] - margin["low"] == pytest.approx(2 * PLAIN.margin)
    assert layer(spec, "within")["encoding"]["x"]["datum"] == PLAIN.events_within_margin


def test_a_bent_arm_is_drawn_broken_and_its_curve_is_said_to_be() -> None:
    spec = times_chart(KINKED, RESULT)
    lines = layer(spec, "line")["data"]["values"]
    assert [v["events"] for v in lines if v["look"] == "baseline"] == [0, 2000]
    assert [v["events"] for v in lines if v["look"] == "treatment"] == [0, 600, 2000]
    spec = total_chart(KINKED)
    assert "by lines that break at a kink" in spec["title"]["subtitle"]
    assert "within" not in names(spec)
    assert scan_sentences(KINKED, RESULT)[0].startswith("<b>job, by lines that break at a kink: ")


def test_arms_of_one_label_stay_two_lines() -> None:
    same = replace(RESULT, treatment=RESULT.baseline)
    values = times_chart(PLAIN, same)["data"]["values"]
    assert {value["look"] for value in values} == {"baseline", "treatment"}


def test_one_wild_interval_does_not_flatten_the_curve() -> None:
    wild = replace(PLAIN, curve=(replace(PLAIN.curve[0], low=-50.0), *PLAIN.curve[1:]))
    low, high = layer(total_chart(wild), "band")["encoding"]["y"]["scale"]["domain"]
    assert -1 < low < high < 1


def test_an_event_number_of_zero_is_in_the_times_but_not_on_the_logarithmic_axis() -> None:
    zero = replace(PLAIN, sizes=(replace(PLAIN.sizes[0], events=0), *PLAIN.sizes[1:]))
    assert [v["events"] for v in layer(total_chart(zero), "point")["data"]["values"]] == [300, 600, 2000]
    assert times_chart(zero, RESULT)["data"]["values"][0]["events"] == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Quantity(0.12345678, 0.1154, 0.1316), "0.1235 [0.1154, 0.1316]"),
        (Quantity(0.00104, 0.00101, 0.00107), "0.001040 [0.001010, 0.001070]"),
        (Quantity(1234.5, 1100.0, 1369.0), "1234 [1100, 1369]"),
        (Quantity(3.5, None, None), "3.500"),
        (Quantity(3.0, 3.0, 3.0), "3"),
        (Quantity(1.5e-12, 1.4e-12, 1.6e-12), "1.500e-12 [1.400e-12, 1.600e-12]"),
    ],
)
def test_a_time_has_the_digits_that_its_interval_supports(value: Quantity, text: str) -> None:
    assert seconds_text(value) == text


def test_a_number_of_events_has_two_digits() -> None:
    assert [about(7), about(1738), about(123_456)] == ["7", "1,700", "120,000"]


def test_without_a_line_only_the_totals_are_listed() -> None:
    assert [row[1] for row in scan_cells(ONCE)] == ["total of 1 event"]
    assert scan_sentences(ONCE, RESULT) == []


def test_the_text_has_the_section_only_where_there_is_a_scan() -> None:
    assert "Fixed cost and slope" in text_report(scan_page())
    assert "Fixed cost" not in text_report(quick_page())


def test_a_bend_that_no_kink_explains_is_said_not_to_fit() -> None:
    unexplained = replace(KINKED.linearity[1], kink=None)
    assert fit_words(replace(KINKED, linearity=(unexplained,))) == ", by straight lines that do not fit"
    assert fit_words(PLAIN) == ""
