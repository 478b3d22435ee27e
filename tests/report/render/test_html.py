"""The HTML page: one file, no network, everything escaped, only our scripts run."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assay.report.charts.charts import charts
from assay.report.render import html as room
from assay.report.render.frame import DRAW, LIBRARY, static, text_hash
from assay.report.render.html import html_report
from tests.report.packed import held_in
from tests.report.pages import PAGES, partial_page, quick_page


class Reader(HTMLParser):
    """Collect elements, their attributes and the text outside of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        inside = self.tags[-1][0] if self.tags else ""
        (self.scripts if inside == "script" and self.cdata_elem else self.words).append(data)


def _read(name: str) -> Reader:
    reader = Reader()
    reader.feed(html_report(PAGES[name]()))
    return reader


each = pytest.mark.parametrize("name", PAGES)


@each
def test_the_page_refers_to_nothing_outside(name: str) -> None:
    attributes = [key for _, found in _read(name).tags for key in found]
    assert not {"src", "action", "srcset", "data", "poster"} & set(attributes)
    assert not re.search(r"@import|url\(", static("page.css"))


@each
def test_no_word_becomes_an_element_or_a_handler(name: str) -> None:
    tags = _read(name).tags
    assert {tag for tag, _ in tags} <= {
        "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "h1", "h2",
        "h3", "p", "strong", "pre", "code", "span", "dl", "div", "dt", "dd", "time", "figure", "ul", "li",
        "svg", "g", "circle", "rect", "path", "table", "thead", "tbody", "tr", "th", "td", "details",
        "summary", "noscript", "defs", "lineargradient", "stop",
        "script", "nav", "a",
    }  # fmt: skip
    links = [found["href"] or "" for tag, found in tags if tag == "a"]
    assert all(re.fullmatch("#[a-z0-9-]+", link) for link in links)  # within the page
    assert not [key for _, found in tags for key in found if key.startswith("on")]
    assert len([tag for tag, _ in tags if tag == "script"]) == 3  # charts, library, what draws


@each
def test_the_policy_allows_these_scripts_and_no_network(name: str) -> None:
    reader = _read(name)
    metas = [found for tag, found in reader.tags if tag == "meta"]
    policy = (
        next(meta["content"] for meta in metas if meta.get("http-equiv") == "Content-Security-Policy") or ""
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    assert all(f"'{text_hash(static(script))}'" in policy for script in (*LIBRARY, DRAW))


@each
def test_a_file_holds_its_charts_packed(name: str) -> None:
    assert held_in(html_report(PAGES[name]()), "charts") == json.loads(json.dumps(charts(PAGES[name]())))


def test_the_table_says_it_all_without_scripts() -> None:
    words = " ".join(" ".join(_read("quick").words).split())
    for row in quick_page().estimates:
        assert f"{row.metric} ({row.unit})" in words
    assert "73.8 to 77.2 %" in words  # of three blocks
    assert "loss, it matters" in words
    assert "equivalent" in words


def test_nasty_words_are_shown_as_they_are() -> None:
    words = " ".join(_read("partial").words)
    assert "<script>alert(\"x\")</script> & 'quoted' | `tick` *star* \\x1b[31mred\\nsecond" in words
    assert "</style><img src=x onerror=alert(1)> {{ 7*7 }}" in words
    assert "\x1b" not in html_report(partial_page())


def test_the_libraries_are_those_of_the_readme() -> None:
    folder = Path(room.__file__).parents[1] / "static" / "lib"
    readme = (folder / "README.md").read_text()
    files = sorted(folder.glob("*.js"))
    assert len(files) == 3
    for file in files:
        assert f"`{file.name}`" in readme
        assert hashlib.sha256(file.read_bytes()).hexdigest() in readme
        assert (folder / f"{file.name.removesuffix('.min.js')}.LICENSE").read_text().startswith("Copyright")


def test_what_draws_can_be_inlined_unchanged() -> None:
    # a carriage return would be normalized by the browser and break the hash
    assert not re.search(r"</script|<!--|\r", static(DRAW), re.IGNORECASE)


def test_a_file_holds_the_library_packed_and_whole() -> None:
    html = html_report(quick_page())
    assert held_in(html, "library") == [static(name) for name in LIBRARY]
    assert len(html) < 500_000
