"""Scaling curves in every notation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.explain.scaling import Form
from assay.report.charts.scaling import efficiency_chart, law_rate, rate_chart, scaling_charts
from assay.report.render.html import html_report
from assay.report.render.text import text_report
from assay.report.tables.scaling import law_text, scaling_cells, scaling_lines
from tests.report.pages import command_page, phases_page, scaling_page
from tests.report.scaled import AMDAHL, GUEST, HOST, SCALINGS, STRAIGHT, USL


def test_there_are_two_charts_a_workload_and_none_without_curves() -> None:
    assert len(scaling_charts(scaling_page())) == 6
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
    host, guest, alone, *bending = scaling_lines(scaling_page())
    assert host.startswith(
        "proof on host: knee at 6.1 [5.9, 6.2] workers, best with 8 workers, saturates: disk"
    )
    assert "saturates: lock contention" in guest
    assert alone.endswith(
        "not known whether there is a knee up to 2 workers, best with 2 workers. A knee is "
        "looked for from three numbers of workers on."
    )
    assert [law_text(curve)[:7] for curve in (HOST, GUEST, STRAIGHT)] == ["knee at", "knee at", "not kno"]
    assert bending[0].startswith(
        "bending on host: no knee: it bends all the way as Amdahl's law with a serial share of "
        "4.10 % [3.20, 5.00], best with 12 workers, saturates: cpu. With the most workers"
    )


def test_each_law_is_said_with_its_parameters() -> None:
    assert law_text(USL) == (
        "no knee: it bends all the way as the universal scalability law with contention 5.00 % "
        "[4.50, 5.50], coherency 1.000 % [0.940, 1.060], peak at 9.7 [9.5, 10.0] workers"
    )
    assert law_text(replace(USL, peak=31.0, peak_low=29.0, peak_high=33.0)).endswith(
        "peak at 31.0 [29.0, 33.0] workers, beyond those measured"
    )
    assert law_text(replace(AMDAHL, law=Form.LINEAR)) == "no knee up to 12 workers"
    assert law_text(replace(AMDAHL, law=None)) == (
        "a knee and a law without one cannot be told apart up to 12 workers"
    )


def test_parameters_of_one_block_stand_without_an_interval() -> None:
    once = replace(
        USL, serial_low=None, serial_high=None, coherency_low=None, coherency_high=None, peak_low=None
    )
    assert law_text(replace(once, peak_high=None)).endswith(
        "contention 5 %, coherency 1 %, peak at 9.7 workers"
    )
    assert law_text(replace(HOST, knee_low=None, knee_high=None)) == "knee at 6.1 workers"


def test_the_law_of_each_curve_is_drawn_where_it_was_measured_and_meets_its_rates() -> None:
    chart = rate_chart(SCALINGS[2])
    drawn = next(layer for layer in chart["layer"] if layer["name"] == "law")["data"]["values"]
    for curve in (AMDAHL, USL):
        line = {one["workers"]: one["rate"] for one in drawn if one["look"] == curve.label}
        assert (min(line), max(line)) == (1, 12)
        for point in curve.points:
            assert law_rate(curve, point.workers) == pytest.approx(point.rate, rel=0.02)
    for curve in (HOST, GUEST):
        assert law_rate(curve, 10) == pytest.approx(curve.points[-1].rate, rel=0.02)
    assert all(layer["name"] != "law" for layer in rate_chart(SCALINGS[1])["layer"])


def test_an_arm_without_a_point_has_an_empty_cell() -> None:
    assert scaling_cells(scaling_page())[7][2:] == ("7", "100 % [-, -]", "-", "-")


def test_the_text_and_the_page_show_scaling_only_where_there_is_some() -> None:
    assert "\nScaling\n" in text_report(scaling_page())
    assert "\nScaling\n" not in text_report(command_page())
    assert 'id="scaling"' in html_report(scaling_page())
    assert 'id="scaling"' not in html_report(command_page())


def test_the_charts_of_the_page_stand_at_their_places() -> None:
    page = html_report(scaling_page())
    assert [f'data-chart="{at}"' in page for at in range(10)] == [True] * 9 + [False]


def test_a_knee_at_the_fewest_workers_is_said_to_lie_there_or_below() -> None:
    lowest = replace(GUEST, knee=1.0, knee_low=None, knee_high=None)
    assert law_text(lowest) == "knee at or below 1 worker"
    assert law_text(replace(lowest, points=GUEST.points[1:], knee=2.0)) == "knee at or below 2 workers"


def test_the_page_shows_scaling_before_what_happened_over_time() -> None:
    page = replace(scaling_page(), timelines=phases_page().timelines, trials=phases_page().trials)
    shown = html_report(page)
    assert 0 < shown.index('id="scaling"') < shown.index('id="timeline"')
