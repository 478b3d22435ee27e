"""A result as files: its report, its tables, its charts."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from threading import BoundedSemaphore
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response

from assay.activities.flat import TABLES, result_table
from assay.activities.pages import flames_of
from assay.activities.standing import as_it_stands
from assay.model.errors import MissingError, UnknownNameError
from assay.pages.fleet import FleetPage
from assay.report.charts.chart_style import Spec
from assay.report.charts.charts import named_charts
from assay.report.charts.fleet import named_fleet_charts
from assay.report.render.exporters import EXPORTERS
from assay.report.render.figure import SIZES, draw
from assay.report.render.flat_text import csv_pieces, json_pieces
from assay.report.render.fleet import markdown_fleet, text_fleet
from assay.report.render.fleet_html import html_fleet
from assay.report.render.json import to_json
from assay.report.render.parquet import parquet
from assay.web.downloads import attached
from assay.web.found import found, of_one
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["results"])
FLEET = {"html": html_fleet, "md": markdown_fleet, "text": text_fleet, "json": to_json}
"""Formats of the page of several machines."""
ENDINGS = {"text": "txt"}
_heavy, _waiting = BoundedSemaphore(1), BoundedSemaphore(4)
"""What makes a file, and the few that wait for it: each holds one of the threads that answer all requests."""
WAIT_S = 120.0
"""Longest wait for others' files that are made."""
KEPT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {}}, "description": "The file, to be kept."}
}


@dataclass(frozen=True)
class ChartLine:
    """A chart that can be had as SVG.

    Attributes:
        name: Its name, ``trial-2``.
        kind: What it is one of, ``trial``.
        number: Which of them, from 1; ``None`` where it is the only one.
        about: What it shows.
    """

    name: str
    kind: str
    number: int | None
    about: str


def _chart_lines(charts: Mapping[str, Spec]) -> tuple[ChartLine, ...]:
    parts = ((name, re.fullmatch(r"(.*?)(?:-([0-9]+))?", name)) for name in charts)
    found = ((name, *part.groups()) for name, part in parts if part)
    return tuple(
        ChartLine(name, kind, None if number is None else int(number), charts[name]["description"])
        for name, kind, number in found
    )


@dataclass(frozen=True)
class Downloads:
    """What a result can be had as.

    Attributes:
        result: Its id.
        title: The scene's title.
        reports: Formats of its report, with what each is for.
        tables: Names of its tables; each as CSV, JSON and Parquet.
        charts: Its charts.
    """

    result: str
    title: str
    reports: Mapping[str, str]
    tables: tuple[str, ...]
    charts: tuple[ChartLine, ...]


@page(router, "/results/{result}/downloads", "downloads.html")
def downloads(site: At, result: str) -> Downloads:
    """What a result can be had as."""
    one = found(site, result)
    if isinstance(one, FleetPage):
        formats = {name: EXPORTERS[name].title for name in FLEET}
        return Downloads(one.id, one.title, formats, (), _chart_lines(named_fleet_charts(one)))
    formats = {name: EXPORTERS[name].title for name in EXPORTERS}
    return Downloads(one.result.id, one.result.title, formats, TABLES, _chart_lines(named_charts(one)))


@router.get("/results/{result}/report.{form}", summary="A result's report as a file.", responses=KEPT)
def report(site: At, result: str, form: str) -> Response:
    """Return a result's report, to be kept."""
    one = found(site, result)
    form = {ending: name for name, ending in ENDINGS.items()}.get(form, form)
    if isinstance(one, FleetPage):
        if form not in FLEET:
            kind = "format of several machines"
            raise UnknownNameError(kind, form, list(FLEET))
        return _file(FLEET[form](one), f"{one.id}.{_ending(form)}")
    exporter, row = EXPORTERS[form], of_one(site, result)
    with _Alone():
        made = exporter.render(one, partial(flames_of, row.folder))
    return _file(made, f"{row.id}.{_ending(form)}")


@router.get(
    "/results/{result}/tables/{name}.{form}", summary="A table of a result as a file.", responses=KEPT
)
def table(site: At, result: str, name: str, form: Literal["csv", "json", "parquet"]) -> Response:
    """Return a table of a result, to be kept."""
    row = of_one(site, result)
    made = result_table(row.folder, name, lambda make: as_it_stands(site.home, row, make))
    file = f"{row.id}-{name}.{form}"
    if form == "parquet":
        with _Alone():
            return _file(parquet(made), file)
    pieces = csv_pieces(made) if form == "csv" else json_pieces(made)
    return attached(pieces, file, _kind(file))


@router.get("/results/{result}/charts/{name}.svg", summary="A chart of a result as SVG.", responses=KEPT)
def chart(site: At, result: str, name: str) -> Response:
    """Return a chart of a result, to be kept."""
    one = found(site, result)
    charts: Mapping[str, Spec] = named_fleet_charts(one) if isinstance(one, FleetPage) else named_charts(one)
    if name not in charts:
        kind = "chart"
        raise UnknownNameError(kind, name, list(charts))
    file = f"{one.id if isinstance(one, FleetPage) else one.result.id}-{name}.svg"
    return _file(draw(charts[name], "svg", SIZES["page"]), file)


class _Alone:
    """What takes a whole processor, or a browser, is made one at a time."""

    def __enter__(self) -> None:
        if not _waiting.acquire(blocking=False):
            raise _busy()
        try:
            mine = _heavy.acquire(timeout=WAIT_S)
        finally:
            _waiting.release()
        if not mine:
            raise _busy()

    def __exit__(self, *_: object) -> None:
        _heavy.release()


def _busy() -> MissingError:
    msg = "cannot make the file now: others are being made"
    return MissingError(msg, hint="ask again in a minute")


def _ending(form: str) -> str:
    return ENDINGS.get(form, form)


def _file(content: str | bytes, name: str) -> Response:
    return attached(content, name, _kind(name))


def _kind(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
