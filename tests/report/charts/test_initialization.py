"""The start of jobs in one guest and in several, as a picture and in words."""

from __future__ import annotations

from dataclasses import replace

from assay.report.charts.charts import named_charts
from assay.report.charts.initialization import initialization_chart, initialization_looks
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.initialization import initialization_lines
from tests.report.laid_out import STARTS
from tests.report.pages import command_page, layouts_page

PAGE = layouts_page()
(SHOWN,) = STARTS


def test_the_fewest_and_the_most_guests_are_lines_of_one_picture_with_the_cores_that_there_are() -> None:
    chart = initialization_chart(SHOWN)
    cores, end, line = chart["layer"]
    assert cores["data"]["values"] == [{"cores": 4}]
    assert [(one["look"], one["at"]) for one in end["data"]["values"]] == [
        ("1 guest", 2.0),
        ("4 guests", 9.0625),
    ]
    assert list(initialization_looks(SHOWN)) == line["encoding"]["color"]["scale"]["domain"]
    steps = [(one["at"], one["cores"]) for one in chart["data"]["values"] if one["look"] == "4 guests"]
    assert steps == [(0.0, 0.75), (2.0, 0.5), (4.0, None), (6.0, 0.625), (8.0, 3.5), (10.0, 3.5)]
    assert named_charts(PAGE)["initialization"] == chart


def test_cores_beyond_those_that_there_are_stay_in_the_picture() -> None:
    one, four = SHOWN.treatments
    chart = initialization_chart(
        replace(SHOWN, treatments=(one, replace(four, cores=1), replace(one, cores=1)))
    )
    assert chart["layer"][2]["encoding"]["y"]["scale"]["domain"][1] > 4.0


def test_ends_are_told_in_seconds_and_long_ones_in_minutes() -> None:
    one, four = SHOWN.treatments
    later = replace(four, ended_s=(3725.0,))
    page = replace(PAGE, initializations=(replace(SHOWN, treatments=(one, later)),))
    (line,) = initialization_lines(page)
    assert line == "job, block 0: initialization ended after 1.75 s to 2 s in 1 guest; 1 h 2 min in 4 guests."


def test_every_notation_has_the_section_where_layouts_were_started_and_only_there() -> None:
    for show, title in ((text_report, "Initialization\n"), (markdown_report, "## Initialization"),
                        (html_report, 'id="initialization"')):  # fmt: skip
        assert title in show(PAGE)
        assert title not in show(command_page())


def test_a_page_of_an_older_version_has_no_initializations() -> None:
    old = to_json(replace(PAGE, version=(1, 14))).replace('"initializations"', '"unknown"')
    assert from_json(old.encode()).initializations == ()
    assert from_json(to_json(PAGE).encode()).initializations == STARTS
