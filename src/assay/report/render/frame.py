"""What all pages share: templates, the library that draws, and the frame of a page that is one HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from assay.report.charts.chart_style import Spec
from assay.report.tables.tables import plain

if TYPE_CHECKING:
    from jinja2 import Environment

LIBRARY = ("lib/vega.min.js", "lib/vega-lite.min.js", "lib/vega-embed.min.js")
"""Scripts that draw, in the order in which they run: a file holds them packed."""
DRAW = "draw.js"
"""Unpacks them and draws; a file's policy allows these scripts and no others, by hash."""
CONTENTS = "<!-- contents -->"
_HEADING = re.compile(r'<h2 id="([a-z0-9-]+)">(.*?)</h2>', re.DOTALL)


@dataclass(frozen=True)
class Document:
    """A page before it has a frame: a file of its own, or a page of a site.

    Attributes:
        template: Name of its template, which extends the ``frame`` that it is given.
        words: What the template needs.
        charts: Its charts, in the order of their places.
    """

    template: str
    words: Mapping[str, Any]
    charts: Sequence[Spec] = ()


def document(template: str, charts: Sequence[Spec], **words: Any) -> Document:
    """Return a page of what its template needs."""
    return Document(template, words, charts)


def at_once(place: str, caller: Callable[[], str]) -> str:
    """Return a section of a page: in a file each is there at once."""
    del place
    return caller()


def whole_file(page: Document) -> str:
    """Return a document as one self-contained HTML file; every text of it is escaped."""
    style = static("page.css")
    return filled(
        page,
        frame="frame.html",
        style=style,
        style_hash=text_hash(style),
        library=packed_library(),
        draw=static(DRAW),
        hashes=[text_hash(static(name)) for name in (*LIBRARY, DRAW)],
        charts=packed(page.charts),
    )


@cache
def packed_library() -> str:
    """Return the scripts that draw, packed: a list of texts."""
    return packed([static(name) for name in LIBRARY])


def packed(value: Sequence[Any]) -> str:
    """Return a value as the text of a data block: as JSON, by zlib, in base64."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def filled(page: Document, *, templates: Environment | None = None, **frame: Any) -> str:
    """Return a document's template filled in.

    Args:
        page: The document.
        templates: Where its template and its frame are; ``None`` is those of reports.
        frame: Name of the frame, and what fills it.
    """
    template = (templates or environment()).get_template(page.template)
    return _with_contents(template.render(**page.words, **frame))


MOST_CONTENTS = 25
"""A longer list of contents is folded: it would fill a screen before the page begins."""


def _with_contents(html: str) -> str:
    """Put the list of a page's sections where it belongs: its headings, which are markup already."""
    if CONTENTS not in html:
        return html
    items = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in _HEADING.findall(html))
    listed = f'<ul class="contents">{items}</ul>'
    if (count := items.count("<li>")) > MOST_CONTENTS:
        listed = f"<details><summary>Contents: {count} sections</summary>{listed}</details>"
    return html.replace(CONTENTS, f'<nav aria-label="Contents">{listed}</nav>', 1)


def text_hash(text: str) -> str:
    """Return the source of a Content-Security-Policy that allows one inline script or style, ``sha256-…``."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def static(name: str) -> str:
    """Return a text file of the package's ``static`` folder, unchanged."""
    return (resources.files("assay.report") / "static" / name).read_bytes().decode()


def embedded(specs: Sequence[Spec]) -> str:
    """Return the specifications as JSON that no HTML parser can mistake for markup."""
    text = json.dumps(specs, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&\u2028\u2029]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _visible(value: object) -> object:
    """Spell out control characters, which HTML forbids; text that is already markup stays."""
    return plain(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def environment() -> Environment:
    """Return what fills in templates: every text in them is escaped."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("assay.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
