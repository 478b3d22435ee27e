"""The formats of a result's page by name: those of the package, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.model import plugins

if TYPE_CHECKING:
    from assay.pages.context import Page
    from assay.report.charts.flames import Flame

    Flames = Callable[[], Sequence[Flame]]


@dataclass(frozen=True)
class Exporter:
    """A format that a result can be written in.

    Attributes:
        name: As ``assay report --format`` takes it.
        title: What it is for, one line without a full stop.
        render: Returns the page as text or bytes; the second argument draws its flame graphs, for a format
            that shows them.
    """

    name: str
    title: str
    render: Callable[[Page, Flames], str | bytes]


def _html(page: Page, flames: Flames) -> str:
    from assay.report.render.html import html_report

    return html_report(page, flames=flames())


def _pdf(page: Page, flames: Flames) -> bytes:
    from assay.report.render.pdf import print_pdf

    return print_pdf(_html(page, flames))


def _markdown(page: Page, flames: Flames) -> str:
    from assay.report.render.markdown import markdown_report

    del flames
    return markdown_report(page)


def _json(page: Page, flames: Flames) -> str:
    from assay.report.render.json import to_json

    del flames
    return to_json(page)


def _text(page: Page, flames: Flames) -> str:
    from assay.report.render.text import text_report

    del flames
    return text_report(page)


_OWN = (
    Exporter("html", "one file with charts that needs no network", _html),
    Exporter("pdf", "the same, printed by Chromium or Chrome", _pdf),
    Exporter("md", "Markdown", _markdown),
    Exporter("json", "every figure, by contracts/report-v1.schema.json", _json),
    Exporter("text", "plain text, as on a terminal", _text),
)


def _added() -> plugins.Plugins[Exporter]:
    found = plugins.load(plugins.EXPORTERS, Exporter)
    return plugins.Plugins({one.name: one for one in found.values.values()}, found.faults)


EXPORTERS = plugins.Catalogue("format", {one.name: one for one in _OWN}, _added, hint="assay report --help")
"""Every format by name."""
