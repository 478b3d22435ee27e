"""Scaling curves in every notation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.report.html import html_report
from assay.report.scaling_chart import efficiency_chart, rate_chart, scaling_charts
from assay.report.scaling_rows import knee_text, scaling_cells, scaling_lines
from assay.report.text import text_report
from tests.report.pages import command_page, phases_page, scaling_page
from tests.report.scaled import GUEST, HOST, SCALINGS, STRAIGHT


def test_there_are_two_charts_a_workload_and_none_without_curves() -> None:
    assert len(scaling_charts(scaling_page())) == 4
    assert scaling_charts(command_page()) == []


def test_ideal_lines_go_through_the_origin_and_end_inside_the_chart() -> None:
    chart = rate_chart(SCALINGS[0])
    lines = next(layer for layer in chart["layer"] if layer["name"] == "ideal")["data"]["values"]
    top = next(layer for layer in chart["layer"] if layer["name"] == "line")["encoding"]["y"]["scale"][
        "domain"
    ][1]
    assert [line["rate"] for line in lines[::2]] == [0.0, 0.0]
    assert lines[1]["rate"] / lines[1]["workers"] == pytest.approx(812.0)
    assert lines[3]["rate"] <= top * (1 + 1e-9)


def test_knees_are_drawn_with_their_intervals_and_only_where_there_are_some() -> None:
    knees = next(layer for layer in rate_chart(SCALINGS[0])["layer"] if layer["name"] == "knee_interval")
    assert [(k["look"], k["low"], k["high"]) for k in knees["data"]["values"]] == [
        ("host", 5.94, 6.21),
        ("guest", 2.02, 2.49),
    ]
    assert all(layer["name"] != "knee" for layer in rate_chart(SCALINGS[1])["layer"])


def test_efficiency_begins_at_zero_and_shows_more_than_all_of_it() -> None:
    chart = efficiency_chart(SCALINGS[0])
    low, high = chart["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low == 0
    assert high >= 1.05


def test_each_curve_is_said_with_knee_best_and_resource() -> None:
    host, guest, alone = scaling_lines(scaling_page())
    assert host.startswith(
        "proof on host: knee at 6.1 [5.9, 6.2] workers, best with 8 workers, saturates: disk"
    )
    assert "saturates: lock contention" in guest
    assert alone.endswith(
        "not known whether there is a knee up to 2 workers, best with 2 workers. A knee is looked for from three "
        "numbers of workers on."
    )
    assert [knee_text(curve)[:7] for curve in (HOST, GUEST, STRAIGHT)] == ["knee at", "knee at", "not kno"]


def test_an_arm_without_a_point_has_an_empty_cell() -> None:
    assert scaling_cells(scaling_page())[-1][2:] == ("7", "100 % [-, -]", "-", "-")


def test_the_text_and_the_page_show_scaling_only_where_there_is_some() -> None:
    assert "\nScaling\n" in text_report(scaling_page())
    assert "\nScaling\n" not in text_report(command_page())
    assert 'id="scaling"' in html_report(scaling_page())
    assert 'id="scaling"' not in html_report(command_page())


def test_the_charts_of_the_page_stand_at_their_places() -> None:
    page = html_report(scaling_page())
    assert [f'data-chart="{at}"' in page for at in range(8)] == [True] * 7 + [False]


def test_a_knee_at_the_fewest_workers_is_said_to_lie_there_or_below() -> None:
    lowest = replace(GUEST, knee=1.0, knee_low=None, knee_high=None)
    assert knee_text(lowest) == "knee at or below 1 worker"
    assert knee_text(replace(lowest, points=GUEST.points[1:], knee=2.0)) == "knee at or below 2 workers"


def test_the_page_shows_scaling_before_what_happened_over_time() -> None:
    page = replace(scaling_page(), timelines=phases_page().timelines, trials=phases_page().trials)
    shown = html_report(page)
    assert 0 < shown.index('id="scaling"') < shown.index('id="timeline"')
