"""Published figures in every notation: beside ours, never a verdict, words that stay words."""

from __future__ import annotations

from dataclasses import replace

from assay.model.figures.published import Quantity
from assay.pages.published import Published
from assay.report.charts.published import published_charts
from assay.report.lists.published_document import published_document
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.published import published_cells, published_lines, source_text
from tests.report.conftest import ROOT, Golden
from tests.report.pages import command_page, published_page
from tests.report.published import GAIN, PUBLISHED, row, theirs

PAGE = published_page()


def test_kinds_of_hardware_are_one_range_with_each_of_them_named() -> None:
    cells = published_cells(PAGE)[0]
    assert cells[2:4] == ("12.0 % [5.0, 20.0]", "5 to 17.68 %")
    assert cells[5] == "Zhang et al. 2017, table 1; KVM; H1 17.68 %, H2 6.25 %, H3 5 to 8.83 %"
    assert cells[6] == "inside"


def test_a_gain_stands_beside_a_loss_as_a_loss_and_as_printed() -> None:
    assert published_cells(PAGE)[1][3] == "-80 % (gain of 80 %)"


def test_a_figure_that_is_printed_with_words_keeps_them() -> None:
    share = replace(theirs(28.0), printed="more than 28 %")
    alone = row(theirs=(share,), metric=None, unit=None, value=None, low=None, high=None, inside=None)
    gain = replace(GAIN, printed="about 80 %")
    beside = row(theirs=(gain,), quantity=Quantity.GAIN)
    page = replace(PAGE, published=replace(PUBLISHED, rows=(alone, beside)))
    assert [cells[3] for cells in published_cells(page)] == ["more than 28 %", "-80 % (gain of about 80 %)"]
    assert from_json(to_json(page).encode()).published == page.published


def test_a_source_says_its_machines_and_runs_where_they_are_told() -> None:
    known = replace(PUBLISHED.publications[0], machines="12 cores", runs="no repetitions are stated")
    told = "juno-2017: Zhang et al. (2017): JUNO in guests"
    assert source_text(known) == f"{told}. Machines: 12 cores. Runs: no repetitions are stated"
    assert source_text(PUBLISHED.publications[0]) == told


def test_what_was_not_measured_or_stands_beside_nothing_has_dashes_and_no_word() -> None:
    _, _, _, lost, alone = published_cells(PAGE)
    assert (lost[2], lost[6]) == ("-", "-")
    assert (alone[:4], alone[6]) == (("-", "-", "-", "10 %"), "-")


def test_each_unit_has_a_chart_of_its_own_with_ours_above_theirs() -> None:
    losses, memory = published_charts(PAGE)
    assert [mark["look"] for mark in losses["data"]["values"]] == ["ours", *["theirs"] * 3, "ours", "theirs"]
    assert [mark["at"] for mark in losses["data"]["values"]] == [0, 1, 1, 1, 2, 3]
    assert [mark["point"] for mark in memory["data"]["values"]] == [236.7, 667.0]


def test_an_interval_far_below_is_cut_off_with_an_arrow() -> None:
    losses, _ = published_charts(PAGE)
    ours = losses["data"]["values"][4]
    assert (ours["low"], ours["point"], ours["beyond"]) == (-1.0, None, -1.0)
    assert "goes on below -100 %" in html_report(PAGE)


def test_the_sources_and_what_is_not_alike_stand_below_the_table() -> None:
    lines = published_lines(PAGE)
    assert lines[0] == "ours: A CPU, guests by KVM"
    assert "my-job beside juno-2017/cpu-loss: It stands in." in lines
    assert "juno-2017/writeback-gain: Theirs is against writethrough." in lines
    assert lines[-2] == "juno-2017: Zhang et al. (2017): JUNO in guests"


def test_every_notation_shows_the_section_right_after_the_losses_and_only_where_a_scene_names_figures() -> (
    None
):
    for show, title in (
        (text_report, "\nPublished\n"),
        (markdown_report, "## Published"),
        (html_report, 'id="published"'),
    ):
        assert title in show(PAGE)
        assert title not in show(command_page())
    html = html_report(PAGE)
    assert html.index('id="losses"') < html.index('id="published"') < html.index('id="badge"')
    assert "<script>alert(1)" not in html


def test_a_page_without_charts_of_published_figures_has_the_table_all_the_same() -> None:
    alone = replace(PAGE, published=replace(PUBLISHED, rows=PUBLISHED.rows[-1:]))
    assert published_charts(alone) == []
    assert "Theirs is against writethrough." in html_report(alone)


def test_a_page_of_an_older_version_has_no_published_figures() -> None:
    old = to_json(replace(PAGE, version=(1, 3))).replace('"published": {', '"unknown": {')
    assert from_json(old.encode()).published is None
    assert from_json(to_json(PAGE).encode()).published == PUBLISHED


def test_the_documented_figures_are_those_of_the_package(golden: Golden) -> None:
    golden(ROOT / "docs" / "published.md", published_document())


def test_a_terminal_names_the_first_of_many_conditions_and_the_page_all() -> None:
    many = tuple(
        replace(theirs(5.0 + at, hardware=None), condition=f"files of 4 GB, row {at}") for at in range(8)
    )
    shown = Published("A CPU", (row(theirs=many),), PUBLISHED.publications, ())
    page = replace(PAGE, published=shown)
    text = text_report(page)
    assert "KVM; files of 4 GB, row 0 and 7 more" in text
    assert "row 1" not in text
    assert "the page in HTML, Markdown and JSON name each of them" in text
    for whole in (markdown_report(page), html_report(page), to_json(page)):
        assert all(f"files of 4 GB, row {at}" in whole for at in range(8))
    assert "so many more" not in text_report(PAGE)
