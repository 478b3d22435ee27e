"""Layouts on the page: the map, its sentences, and a chart that holds what it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.report.charts.layout import layout_chart, layout_charts
from assay.report.render.html import html_report
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.layout import held_lines, map_cells, map_headers, map_lines, map_title
from tests.report.laid_out import LAYOUTS
from tests.report.pages import command_page, layouts_page

MAP, NOTHING = LAYOUTS


def layer(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in spec["layer"] if one["name"] == name)


def test_guests_are_rows_and_stagger_and_preload_are_columns() -> None:
    assert map_headers(MAP) == (
        "guests",
        "together",
        "stagger 5 s",
        "together, preload",
        "stagger 5 s, preload",
    )
    assert [row[0] for row in map_cells(MAP)] == ["1", "2", "4"]
    assert map_cells(MAP)[2][1] == "20.30 % [19.50, 21.20] loss"
    assert map_cells(MAP)[0][2] == "-"
    assert map_cells(MAP)[1][4] == "- not measured"


def test_starts_at_once_are_a_column_and_a_line_of_their_own() -> None:
    point = next(one for one in MAP.points if (one.guests, one.stagger_s, one.preload) == (4, 5, False))
    pairs = replace(point, label="4 guests, stagger 5 s, 2 at once", at_once=2, loss=0.1)
    shown = replace(MAP, points=(*MAP.points, pairs))
    assert map_headers(shown)[1:4] == ("together", "stagger 5 s", "stagger 5 s, 2 at once")
    assert map_cells(shown)[2][3].startswith("10.00 %")
    values = layout_chart(shown, 0.02)["data"]["values"]
    looks = [(value["guests"], value["own"]) for value in values if value["look"] == "stagger 5 s, 2 at once"]
    assert looks == [(1, False), (4, True)]


def test_the_sentences_say_the_cheapest_the_knee_and_what_is_won_back() -> None:
    lines = map_lines(MAP)
    assert (
        "job init_time: cheapest layout: 1 guest, preload; not to be told from it: 2 guests, preload; "
        "not measured: 2 guests, stagger 5 s, preload" in lines
    )
    assert (
        "job init_time: together: knee at 4 guests, which lose 15.1 % [14.1, 16.2] against the number before"
        in lines
    )
    assert "job init_time: stagger 5 s: no knee up to 4 guests" in lines
    assert (
        "job init_time: stagger 5 s, preload: not known whether there is a knee up to 4 guests: "
        "an interval reaches beyond the margin, or brings no verdict" in lines
    )
    assert "job init_time: preload wins back 16.6 % [15.0, 18.1] with 4 guests, preload" in lines
    assert any(line.startswith("job init_time: stagger 5 s changes 3.2 % [-0.4, 6.9]") for line in lines)


def test_what_costs_is_said_without_a_sign() -> None:
    worse = replace(MAP.gains[0], gain=-0.04, low=-0.05, high=-0.03)
    assert "stagger 5 s costs 4.0 % [3.0, 5.0]" in map_lines(replace(MAP, gains=(worse,)))[-1]


def test_knees_and_gains_of_few_blocks_are_ranges() -> None:
    knee, gain = replace(MAP.knees[0], blocks=4), replace(MAP.gains[0], blocks=4)
    worse = replace(gain, gain=-0.04, low=-0.05, high=-0.03)
    found = "\n".join(map_lines(replace(MAP, knees=(knee,), gains=(gain, worse))))
    assert "knee at 4 guests, which lose 14.1 to 16.2 % against the number before" in found
    assert "stagger 5 s wins back 16.1 to 19.2 % with" in found
    assert "stagger 5 s costs 3.0 to 5.0 % with" in found


def test_knees_and_gains_of_older_pages_tell_no_blocks_and_are_figures() -> None:
    knee, gain = replace(MAP.knees[0], blocks=None), replace(MAP.gains[0], blocks=None)
    found = "\n".join(map_lines(replace(MAP, knees=(knee,), gains=(gain,))))
    assert "which lose 15.1 % [14.1, 16.2] against" in found
    assert "wins back 17.7 % [16.1, 19.2] with" in found


def test_the_weight_is_said_once_for_each_number_of_guests() -> None:
    (line,) = held_lines(layouts_page())
    assert "1 guest 541 MiB, 61 MiB of it beside the guests' own" in line
    assert "4 guests 724 MiB, 244 MiB" in line
    assert held_lines(command_page()) == []


def test_a_chart_has_each_point_once_and_the_single_guest_on_the_line_of_every_stagger() -> None:
    spec = layout_chart(MAP, 0.02)
    values = spec["data"]["values"]
    measured = sum(point.loss is not None for point in MAP.points)
    assert sum(value["own"] for value in values) == measured
    assert sum(value["guests"] == 1 for value in values) == 4
    assert layer(spec, "margin")["data"]["values"] == [{"low": -0.02, "high": 0.02}]
    assert layer(spec, "point")["encoding"]["color"]["scale"]["domain"] == list(map_headers(MAP)[1:])
    assert layout_chart(NOTHING, 0.02)["data"]["values"] == []


def test_a_map_with_figures_and_no_cheapest_layout_is_drawn_all_the_same() -> None:
    page = replace(layouts_page(), layouts=(replace(MAP, cheapest=None, tied=()), NOTHING))
    assert len(layout_charts(page)) == 1
    assert f'aria-label="{map_title(MAP)}, loss against the number of guests"' in html_report(page)


def test_a_page_without_layouts_has_no_section_of_them() -> None:
    assert layout_charts(command_page()) == []
    assert "Layouts" not in text_report(command_page())
    assert "## Layouts" in markdown_report(layouts_page())
    assert "\nLayouts\n" in text_report(layouts_page())
    assert 'id="layouts"' in html_report(layouts_page())


def test_names_of_workloads_are_no_markup() -> None:
    assert "<b>alone" not in html_report(layouts_page())
