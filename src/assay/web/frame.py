"""The frame of a site's page: where it stands, who looks at it, and what it may load."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from fastapi import Request

from assay.model.units import format_bytes, format_seconds
from assay.report.render.frame import Document, environment, filled
from assay.web.guard.browser import token_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jinja2 import Environment

PLACES = (
    ("/", "Overview"),
    ("/machines", "Machines"),
    ("/scenes", "Scenes"),
    ("/activities", "Activities"),
    ("/results", "Results"),
    ("/tune", "Tune"),
)
"""The site's parts, in the order shown."""
WITHIN = {"/compare": "/results"}
"""Pages that belong to a part whose address is another."""
DRAWING = ("lib/vega.min.js", "lib/vega-lite.min.js", "lib/vega-embed.min.js", "draw.js")
SCRIPTS = ("lib/htmx.min.js", "lib/htmx-sse.min.js", "site.js")


SAID = {"signed out"}
"""All that a page may be asked to say by its address: a link says nothing of its own."""


def in_frame(page: Document, request: Request) -> str:
    """Return a document as a page of the site; every text of it is escaped.

    Args:
        page: The document.
        request: Who asks, and where.
    """
    said = request.query_params.get("said")
    person = request.scope.get("assay.person")
    here = request.url.path
    here = next((part for at, part in WITHIN.items() if here.startswith(at)), here)
    return filled(
        page,
        templates=templates(),
        frame="site.html",
        places=PLACES,
        here=next((at for at, _ in PLACES if here == at or (at != "/" and here.startswith(at))), None),
        person=person,
        signs_in=request.app.state.site.access.signs_in,
        token="" if person is None else token_of(request.scope["assay.secret"], person.key),
        asset=asset,
        scripts=[*SCRIPTS, *(DRAWING if page.charts else ())],
        charts_at=_charts_at(request) if page.charts else None,
        said=said if said in SAID else None,
    )


def _charts_at(request: Request) -> str:
    path = request.url.path if request.url.path != "/" else "/index"
    return f"{path}.charts.json" + (f"?{request.url.query}" if request.url.query else "")


@cache
def templates() -> Environment:
    """Return what fills in the site's templates, and the report's, which they extend."""
    import jinja2

    made = environment().overlay(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader("assay.web"), jinja2.PackageLoader("assay.report")])
    )
    made.filters = made.filters | {"duration": format_seconds, "bytes": format_bytes}
    return made


def file_of(name: str) -> bytes:
    """Return a file that pages load, of the site's or of the report's.

    Raises:
        FileNotFoundError: There is none of that name.
    """
    if (file := _files().get(name)) is None:
        raise FileNotFoundError(name)
    return file.read_bytes()


@cache
def _files() -> Mapping[str, Traversable]:
    """Return all files that pages load, by name: no other name is looked for or kept."""
    folders = (resources.files(package) / "static" for package in ("assay.report", "assay.web"))
    return {name: file for folder in folders for name, file in _within(folder, "")}


def _within(folder: Traversable, before: str) -> Iterator[tuple[str, Traversable]]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _within(one, f"{before}{one.name}/")
        else:
            yield before + one.name, one


@cache
def asset(name: str) -> str:
    """Return the address of a file that pages load, with what is its content: so it may be kept.

    Raises:
        FileNotFoundError: There is none of that name; that is not remembered.
    """
    return f"/static/{hashlib.sha256(file_of(name)).hexdigest()[:12]}/{name}"
