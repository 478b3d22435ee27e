"""What figures of pages open: the trials behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.pages.context import Corrected, Page
from assay.pages.headline import Site
from assay.pages.score import Score
from assay.report.render.frame import Document, filled
from assay.report.render.html import html_report
from assay.results.headline import headline_of
from assay.web.frame import templates
from assay.web.views import results
from tests.report.pages import published_page, quick_page, scan_page
from tests.results.test_outcome import PLAN
from tests.web.conftest import serving
from tests.web.homes import home_of

FRAME = ("style", "style_hash", "library", "draw", "hashes", "charts")


def _html(made: Document) -> str:
    return filled(made, templates=templates(), frame="frame.html", token="", **dict.fromkeys(FRAME, ""))


def _links(page: Page, within: str = "") -> Iterator[tuple[str, str, str | None, str]]:
    """Yield what each link to trials asks for, and its text, within a section or within the box."""
    html = _html(results.drawn(results.Shown(headline_of(page, Site()), page)))
    part = (
        rf'<section aria-labelledby="{within}">(.*?)</section>' if within else r'class="box"(.*?)</section>'
    )
    found = re.search(part, html, re.DOTALL)
    for at, text in re.findall(r'<a href="(/results/[^"]*)">(.*?)</a>', found[1] if found else "", re.DOTALL):
        asked = parse_qs(urlsplit(unescape(at)).query)
        plain = re.sub(r"<[^>]*>", "", text)
        yield asked["workload"][0], asked["metric"][0], asked.get("treatment", [None])[0], plain


def _trials_of(page: Page) -> set[tuple[str, str, str | None]]:
    return {(row.workload, row.metric, row.treatment) for row in page.estimates}


def test_the_headline_opens_its_trials() -> None:
    page = quick_page()
    first = next(row for row in page.estimates if row.loss is not None)
    ((workload, metric, treatment, text),) = _links(page)
    assert (workload, metric, treatment) == (first.workload, first.metric, None)
    assert "%" in text


def test_of_several_treatments_each_line_opens_its_own() -> None:
    first = next(row for row in quick_page().estimates if row.loss is not None)
    page = replace(
        quick_page(), estimates=tuple(replace(first, treatment=label) for label in ("guest", "container"))
    )
    assert [one[2] for one in _links(page)] == ["guest", "container"]


def test_each_event_number_of_a_scan_that_was_measured_opens_its_trials() -> None:
    page = scan_page()
    wall = next(row for row in page.estimates if row.unit == "s")
    sizes = tuple(
        replace(wall, workload=f"plain-n{events}", metric=metric)
        for events in (1, 300)
        for metric in ("wall_time", "cpu_time")
    )
    opened = [one[:2] for one in _links(replace(page, estimates=sizes), "scans")]
    assert opened == [("plain-n1", "wall_time"), ("plain-n300", "wall_time")]
    assert [*_links(page, "scans")] == []


def test_ours_beside_a_published_figure_opens_its_trials() -> None:
    page = published_page()
    assert page.published is not None
    ours = {(row.workload, row.metric, row.treatment) for row in page.published.rows}
    opened = {one[:3] for one in _links(page, "published")}
    assert opened
    assert opened <= ours & _trials_of(page)


def test_a_score_opens_the_trials_of_its_parts() -> None:
    page = quick_page()
    rows = [row for row in page.estimates if row.loss is not None][:2]
    parts = tuple(f"{row.workload} {row.metric}" for row in rows)
    scored = replace(page, scores=(Score(parts, 0.9, 0.1, None, None, 3),))
    assert [one[:2] for one in _links(scored, "score")] == [(row.workload, row.metric) for row in rows]


def test_a_corrected_loss_opens_the_trials_of_the_loss() -> None:
    page = quick_page()
    *others, last = page.estimates
    corrected = replace(last, corrected=Corrected("reference", 0.1, None, None, 3))
    ((workload, metric, _, _),) = _links(replace(page, estimates=(*others, corrected)), "corrected")
    assert (workload, metric) == (last.workload, last.metric)


@pytest.mark.parametrize("page", [quick_page, scan_page, published_page])
def test_a_file_leads_nowhere(page: Callable[[], Page]) -> None:
    assert "/trials?" not in html_report(page())


def test_losses_beside_each_other_open_the_trials_of_each(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", PLAN, replace(PLAN, id="0b0b0b0b"))
    with serving(home) as served:
        page = served.client.get(f"/compare?with={PLAN.id}&with=0b0b0b0b").text
        leads = [unescape(at) for at in re.findall(r'href="(/results/[^"]*/trials\?[^"]*)"', page)]
        assert len(leads) == 4, "of the metric's table, and of the table of differences"
        for at in leads:
            assert served.client.get(at).status_code == 200, at
            assert served.client.get(at.replace("?", ".json?")).json()["result"] in at
