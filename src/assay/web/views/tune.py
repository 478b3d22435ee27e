"""Searches for the settings that pay: all of them, one, what is applied of it, its words for other tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from assay.activities.tuning.kept import FILE, find_tuning, read_tuning, tuning_folders
from assay.factors.export.words_of import FORMATS
from assay.model.errors import UnknownNameError
from assay.pages.factor_page import ExportPage
from assay.pages.tuning import Tuning
from assay.report.render.frame import Document
from assay.report.render.tuning_html import tuning_document
from assay.report.tables import tuning as words
from assay.store.record import RecordError
from assay.web.acts.looks import InForce, Verified, Which
from assay.web.acts.requests import (
    ApplySettings,
    ExtendSearch,
    MeasureSearch,
    OfSearch,
    ResumeSearch,
    RollBackSettings,
)
from assay.web.downloads import attached
from assay.web.given import post
from assay.web.route import page
from assay.web.site import At, By

router = APIRouter(tags=["tune"])
PER_PAGE = 50
MOST_READ = 10_000
"""Lines that are kept, of less than a kilobyte each."""


@dataclass(frozen=True)
class SearchLine:
    """A search in one line.

    Attributes:
        id: Its id.
        scene: Name of the scene.
        title: The scene's title.
        state: ``begun`` or ``complete``.
        created: When it was begun, ISO 8601 in UTC.
        workloads: Workloads that it is for.
        outcome: What came of it.
    """

    id: str
    scene: str
    title: str
    state: str
    created: str
    workloads: tuple[str, ...]
    outcome: str


@dataclass(frozen=True)
class Searches:
    """The searches.

    Attributes:
        searches: A page of them, the newest first.
        total: How many there are on all pages.
        page: Which page, from 1.
        pages: How many pages there are.
    """

    searches: tuple[SearchLine, ...]
    total: int
    page: int
    pages: int


@dataclass(frozen=True)
class Search:
    """A search.

    Attributes:
        tuning: All that it knows.
        applied: What of it is applied here; ``None`` for nothing.
        may: What who asks may do with it: ``resume``, ``measure``, ``extend``, ``apply``,
            ``undecided`` (apply what is), ``rollback``.
    """

    tuning: Tuning
    applied: InForce | None
    may: tuple[str, ...]


@page(router, "/tune", "tune.html")
def searches(site: At, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1) -> Searches:
    """All searches, the newest first."""
    known = [line for folder in tuning_folders(site.home) if (line := _line_of(folder)) is not None]
    newest = sorted(known, key=lambda one: (one.created, one.id), reverse=True)
    shown = newest[(page - 1) * PER_PAGE : page * PER_PAGE]
    return Searches(tuple(shown), len(known), page, max(1, -(-len(known) // PER_PAGE)))


def _line_of(folder: Path) -> SearchLine | None:
    """Return a search in one line; ``None`` of one that cannot be read. Its file is read once for each
    content.
    """
    try:
        now = (folder / FILE).stat()
    except OSError:  # it was removed meanwhile
        return None
    return _line_as_read(folder, (now.st_ino, now.st_mtime_ns, now.st_size))


@lru_cache(MOST_READ)
def _line_as_read(folder: Path, _: tuple[int, int, int]) -> SearchLine | None:
    try:
        return _line(read_tuning(folder))
    except RecordError:
        return None


def _line(one: Tuning) -> SearchLine:
    sets = [f"{found.name}: {words.verdict_text(found)}" for found in words.found_sets(one)]
    outcome = "; ".join(sets) or (words.NOTHING if one.over else words.state_text(one))
    state = "complete" if one.over else "begun"
    return SearchLine(one.id, one.scene, one.title, state, one.created, one.workloads, outcome)


def _drawn(one: Search) -> Document:
    made = tuning_document(one.tuning)
    at = f"/tune/{one.tuning.id}"
    given = {"search": one, "at": at, "formats": FORMATS}
    return replace(made, template="search.html", words={**made.words, **given})


@page(router, "/tune/{search}", _drawn, charts=True)
def search(site: At, by: By, search: str) -> Search:
    """A search: the settings that pay, how sure that is, and the way there."""
    tuning = find_tuning(search, site.home)
    applied = site.looks.applied(tuning.id, by)
    recommended = tuning.over and any(one.recommended for one in tuning.found)
    undecided = tuning.over and any(one.undecided for one in tuning.found)
    applies = applied is None and by.role >= ApplySettings.role
    acts = {
        "resume": not tuning.over and by.role >= ResumeSearch.role,
        "measure": (recommended or undecided) and by.role >= MeasureSearch.role,
        "extend": undecided and by.role >= ExtendSearch.role,
        "apply": recommended and applies,
        "undecided": undecided and applies,
        "rollback": applied is not None and by.role >= RollBackSettings.role,
    }
    return Search(tuning, applied, tuple(name for name, may in acts.items() if may))


@page(router, "/tune/{search}/verified", "verified.html")
def verified(site: At, by: By, search: str) -> Verified:
    """Whether what was applied of a search is still so."""
    return site.looks.verified(find_tuning(search, site.home).id, by)


@dataclass(frozen=True)
class Exported:
    """A recommended change-set in the words of another tool.

    Attributes:
        search: Id of the search.
        which: Name of the change-set.
        words: The words, what they leave out, and whether they were ever tried.
    """

    search: str
    which: str
    words: ExportPage


@page(router, "/tune/{search}/export/{which}/{form}", "exported.html")
def export(site: At, by: By, search: str, which: Which, form: str) -> Exported:
    """The recommended change-set in the words of another tool."""
    if form not in FORMATS:
        kind = "format"
        raise UnknownNameError(kind, form, list(FORMATS))
    tuning = find_tuning(search, site.home)
    return Exported(tuning.id, which, site.looks.exported(tuning.id, which, form, by))


@router.get(
    "/tune/{search}/export/{which}/{form}/file",
    summary="The same as a file.",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
)
def export_file(site: At, by: By, search: str, which: Which, form: str) -> Response:
    """Return a change-set in the words of another tool, to be kept."""
    made = export(site, by, search, which, form)
    return attached(made.words.text, f"{made.search}-{which}-{form}.txt", "text/plain; charset=utf-8")


def _search(act: OfSearch, _: object) -> str:
    return f"/tune/{act.search}"


post(router, "/tune/{search}/resume", ResumeSearch, _search, "it goes on")
post(router, "/tune/{search}/measure", MeasureSearch, _search, "it is measured again")
post(router, "/tune/{search}/extend", ExtendSearch, _search, "it is extended")
post(
    router, "/tune/{search}/apply", ApplySettings, _search, "applied: a domain has it once it is started anew"
)
post(router, "/tune/{search}/rollback", RollBackSettings, _search, "taken back")
