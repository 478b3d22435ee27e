"""The table of systems: both sides of a comparison, property by property."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.report.render.html import html_report
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.system import system_headers, system_rows
from tests.report.pages import SYSTEMS, quick_page


def test_an_arm_has_a_column_and_what_only_one_tells_of_has_a_dash_for_the_other() -> None:
    assert system_headers(SYSTEMS) == ("", "host", "guest")
    rows = {row[0]: row[1:] for row in system_rows(SYSTEMS)}
    assert rows["processors"] == ("256, confined to 1-3,5", "4, confined to 1-3,5")
    assert rows["memory"] == ("512 GiB, job limited to 2 GiB", "2 GiB")
    assert rows["made by"] == ("-", "QEMU 7.2.22, libvirt 9.0.0, tcg, CPU model max")


def test_what_no_arm_tells_of_has_no_row() -> None:
    assert "made by" not in {row[0] for row in system_rows(SYSTEMS[:1])}
    alone = replace(SYSTEMS[0], confined=(), memory_limit_bytes=None)
    assert {row[0]: row[1] for row in system_rows((alone,))}["processors"] == "256"


def test_it_stands_in_every_report_and_is_escaped() -> None:
    page = quick_page()
    html = html_report(page)
    assert "QEMU &lt;Virtual&gt; CPU" in html
    assert html.index("AMD EPYC") < html.index('<h2 id="losses">')
    assert "| kernel | 6.1.0-28-amd64, x86_64 | 6.1.0-28-amd64, x86_64 |" in markdown_report(page)
    assert re.search(r"^clock source +tsc +hpet$", text_report(page), re.MULTILINE)
    bare = replace(page, systems=())
    assert "Systems" not in html_report(bare) + markdown_report(bare) + text_report(bare)


def test_a_page_lists_its_sections_in_their_order() -> None:
    html = html_report(quick_page())
    listed, _, rest = html.partition("</nav>")
    places = [part.partition('"')[0] for part in listed.partition("<nav")[2].split('href="#')[1:]]
    assert places[0] == "losses"
    assert [part.partition('"')[0] for part in rest.split('<h2 id="')[1:]] == places
