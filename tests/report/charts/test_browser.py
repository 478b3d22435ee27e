"""A real browser without any network draws the charts of a page opened from disk."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.pages.numbers import FIGURE_FROM
from assay.report.charts.charts import charts
from assay.report.render.html import html_report
from tests.report.pages import PAGES

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom",
)  # fmt: skip


def _open(html: Path, profile: Path, *more: str) -> tuple[str, str]:
    """Return the drawn page and the browser's messages; root's browser has a network namespace of its own."""
    alone = ["unshare", "--net"] if os.geteuid() == 0 else []
    command = [*alone, "chromium", *FLAGS, *more, f"--user-data-dir={profile}", html.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=180, check=True)
    return done.stdout.decode(), done.stderr.decode(errors="replace")


def _few_first(names: Iterable[str]) -> list[Any]:
    """Return the pages, all but those with most charts marked as long."""
    few = ("quick", "scan")
    return [name if name in few else pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.mark.live
@pytest.mark.parametrize("name", _few_first(PAGES))
def test_a_browser_without_network_draws_every_chart_and_complains_of_nothing(
    name: str, tmp_path: Path
) -> None:
    page = PAGES[name]()
    (tmp_path / "report.html").write_text(html_report(page), encoding="utf-8")
    dom, messages = _open(tmp_path / "report.html", tmp_path / "profile")
    assert 'data-charts="drawn"' in dom.partition(">")[2].partition(">")[0] + ">"
    assert dom.count("<svg xmlns") == dom.count('class="marks"') == len(charts(page))
    points = [row for row in page.estimates if row.blocks >= FIGURE_FROM or row.low is None]
    measured = sum(row.loss is not None and row.loss >= -1 for row in points)
    drawn = re.search(r'<g class="mark-symbol role-mark point_marks".*?</g>', dom)
    assert drawn is not None
    assert drawn[0].count("<path") == measured
    # the browser's own pages (chrome://) miss the network; the report must not
    said = [line for line in messages.splitlines() if "CONSOLE" in line and "source: chrome://" not in line]
    assert said == []


@pytest.mark.live
def test_on_a_narrow_screen_the_names_of_treatments_and_metrics_are_not_cut(tmp_path: Path) -> None:
    page = PAGES["quick"]()
    names = (
        "guest, disk.cache writethrough, memory.size 4 GiB",
        "guest, disk.cache none, cpu.pinning spread",
    )
    rows = tuple(replace(row, treatment=name) for name in names for row in page.estimates)
    page = replace(page, estimates=rows)
    (tmp_path / "report.html").write_text(html_report(page), encoding="utf-8")
    dom, _ = _open(tmp_path / "report.html", tmp_path / "profile", "--window-size=400,900")
    for layer, said in (("name", "sysbench-cpu · events_per_s"), ("of", "guest, writethrough, 4 GiB")):
        texts = re.search(rf'<g class="mark-text role-mark {layer}_marks".*?</g>', dom)
        assert texts is not None
        assert f">{said}<" in texts[0]
        assert "…" not in texts[0]


@pytest.mark.live
def test_on_a_narrow_screen_the_names_of_publications_are_not_cut(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(html_report(PAGES["published"]()), encoding="utf-8")
    dom, _ = _open(tmp_path / "report.html", tmp_path / "profile", "--window-size=420,900")
    for layer in ("name", "source"):
        texts = re.findall(rf'<g class="mark-text role-mark {layer}_marks".*?</g>', dom)
        assert texts
        assert not [text for text in texts if "…" in text]


@pytest.mark.live
@pytest.mark.parametrize("name", _few_first(PAGES))
def test_nothing_on_paper_is_wider_than_the_page(name: str, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    (tmp_path / "report.html").write_text(html_report(PAGES[name]()), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 980, "height": 1000})
        page.goto((tmp_path / "report.html").as_uri())
        page.locator("html[data-charts=drawn]").wait_for(state="attached")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 703, "height": 1000})  # A4 without its margins: wider is shrunk, all
        assert page.evaluate("document.documentElement.scrollWidth") <= 703
        browser.close()
