"""Evaluation results: all of them, and one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from assay.activities.pages import flames_of
from assay.model.errors import AssayError
from assay.pages.context import Page
from assay.pages.fleet import FleetPage
from assay.pages.headline import Headline
from assay.pages.headline import Site as Said
from assay.report.charts.flames import Flame
from assay.report.render.fleet_html import fleet_document
from assay.report.render.frame import Document
from assay.report.render.html import TRIALS, report_document
from assay.report.render.links import Nowhere
from assay.report.render.trust import trust_level, trust_text
from assay.report.tables import left, words
from assay.results.headline import Work, fleet_headline, headline_of, work_of
from assay.results.series.profiles import has_profiles
from assay.store.record import read_activity
from assay.store.rows import ActivityRow
from assay.store.search import VERDICTS, Filter
from assay.web.acts.requests import TagResult
from assay.web.found import address, found, of_one, shown
from assay.web.given import post
from assay.web.late import Late, long_ones_late, one_alone
from assay.web.lines import ActivityLine, ResultLine, activity_line, result_lines
from assay.web.opened import Opened
from assay.web.route import page
from assay.web.sides import MOST, treatments_of
from assay.web.site import At, By, Site

router = APIRouter(tags=["results"])
PER_PAGE = 50
MOST_FLEETS = 10
PROPOSED = 200
"""Tags, and machines, that the form proposes; any other can be typed."""
MOST_TRIALS = 200
"""Trials in the table of all: of more, the rest is behind each figure, and in the tables to download."""
Place = Literal[
    "losses", "published", "score", "corrected", "path-share", "together", "own-clock", "scans", "unmeasured",
    "budget", "proof", "badge", "doubts", "trials", "scaling", "layouts", "landscapes", "weights", "timeline",
    "profiles", "again", "method", "recipe", "next",
]  # fmt: skip
"""Sections of a result's page."""


def _given(value: Any) -> Any:
    return None if value == "" else value  # a field of a form that was left empty


Amount = Annotated[Annotated[float, Field(gt=0, le=1e6)] | None, BeforeValidator(_given)]
Count = Annotated[Annotated[int, Field(ge=1, le=1_000_000)] | None, BeforeValidator(_given)]


class OfSite(BaseModel):
    """What a site says of itself, to have what is left in its machines, energy and money.

    Attributes:
        machines: How many it has; else as many as the inventory.
        watts: Power of one at work.
        price_kwh: Price of a kWh.
        currency: Of the price.
    """

    model_config = ConfigDict(extra="ignore")
    machines: Count = None
    watts: Amount = None
    price_kwh: Amount = None
    currency: Annotated[str, Field(pattern=r"^[A-Za-z€£¥$]{0,3}$")] = ""


@dataclass(frozen=True)
class Results:
    """The results that were searched for.

    Attributes:
        results: A page of them, the newest first.
        total: How many there are on all pages.
        page: Which page, from 1.
        pages: How many pages there are.
        asked: What they have in common, by the names of the address.
        scenes: Scenes that anything was measured by.
        machines: Machines of the inventory, some of them.
        tags: Tags that a result has, some of them.
        fleets: Those of several machines, the newest, on the first page.
    """

    results: tuple[ResultLine, ...]
    total: int
    page: int
    pages: int
    asked: Mapping[str, str]
    scenes: tuple[str, ...]
    machines: tuple[str, ...]
    tags: tuple[str, ...]
    fleets: tuple[ActivityLine, ...]


Day = Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")]


class Asked(BaseModel):
    """What results are searched for; what is empty is not asked.

    Attributes:
        scene: Name of their scene.
        find: In their title or headline.
        machine: A machine that they were measured on: its name in the inventory, or its host name.
        hardware: In a host name or a processor of theirs.
        treatment: Label of their treatment.
        tag: One of their tags.
        verdict: Verdict of one of their metrics.
        since: First day on which they were made, UTC.
        until: Last day.
        page: Which page, from 1.
    """

    model_config = ConfigDict(extra="ignore")
    scene: str = ""
    find: str = ""
    machine: str = ""
    hardware: str = ""
    treatment: str = ""
    tag: str = ""
    verdict: Literal["", "loss", "gain", "equivalent", "not-decided", "not-measured"] = ""
    since: Day = ""
    until: Day = ""
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1

    def filter(self) -> Filter:
        """Return the question to the store.

        Raises:
            AssayError: A day is none of the calendar.
        """
        after = _day_ns(self.until)
        return Filter(
            scene=self.scene or None,
            text=self.find or None,
            machine=self.machine or None,
            hardware=self.hardware or None,
            treatment=self.treatment or None,
            tag=self.tag or None,
            verdict=VERDICTS.get(self.verdict),
            since_ns=_day_ns(self.since),
            until_ns=None if after is None else after + DAY_NS,
        )


DAY_NS = 86_400 * 10**9


def _day_ns(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9
    except ValueError as error:
        msg = f"cannot search from {text}: there is no such day"
        raise AssayError(msg) from error


@dataclass(frozen=True)
class Shown:
    """A result.

    Attributes:
        headline: How much is left; ``None`` where nothing was measured.
        report: Its page, of one machine or of several.
        profiled: Whether there are flame graphs of it.
        tags: What people call it by; of several machines each result has its own.
        may: What the person may do with it: ``tag``.
        trust: Of several machines, the lowest level that one of their results has.
    """

    headline: Headline | None
    report: Page | FleetPage
    profiled: bool = False
    tags: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    trust: str | None = None


@dataclass(frozen=True)
class Part:
    """One section of a result's page.

    Attributes:
        place: Which.
        report: The page.
        flames: Its flame graphs, where these are the section.
    """

    place: str
    report: Page
    flames: tuple[Flame, ...] = ()


@page(router, "/results", "results.html")
def results(site: At, asked: Annotated[Asked, Query()]) -> Results:
    """All results, the newest first, or those that have something in common."""
    wanted, before = asked.filter(), (asked.page - 1) * PER_PAGE
    found = site.store.search(wanted, limit=PER_PAGE, offset=before)
    fleets = () if before else site.store.search_fleets(wanted, limit=MOST_FLEETS)
    words = {name: str(value) for name, value in asked.model_dump(exclude={"page"}).items() if value}
    return Results(
        results=result_lines(site, found.rows),
        total=found.total,
        page=asked.page,
        pages=max(1, math.ceil(found.total / PER_PAGE)),
        asked=words,
        scenes=tuple(sorted(site.store.scenes())),
        machines=tuple(entry.name for entry in site.store.entries())[:PROPOSED],
        tags=site.store.known_tags(limit=PROPOSED),
        fleets=tuple(activity_line(site, row) for row in fleets),
    )


def drawn(one: Shown) -> Document:
    """Return a result's page, without a frame."""
    if isinstance(one.report, FleetPage):
        return _drawn_fleet(one, one.report)
    at = address(one.report.result.id)
    beside = {
        "headline": one.headline,
        "left": left,
        "baseline": one.report.result.baseline,
        "trust": trust_level(one.report),
        "counted": "",
        "profiled": one.profiled,
        "tags": one.tags,
        "may": one.may,
        "treatments_at": treatments_at(one.report),
        "trust_level": trust_level,
        "trust_text": trust_text,
    }
    surely = {"trials": TRIALS} if len(one.report.trials) > MOST_TRIALS else {}
    return _with_links(one.report, "result.html", long_ones_late(at, surely=surely), {**beside, "at": at})


def treatments_at(report: Page) -> str | None:
    """Return the address that lays the treatments of a result beside each other; ``None`` where there is
    one, or more than fit.
    """
    found = treatments_of(report)
    if not 1 < len(found) <= MOST:
        return None
    return "/compare?" + urlencode([("with", f"{report.result.id}:{one}") for one in found])


def _drawn_fleet(one: Shown, report: FleetPage) -> Document:
    made = fleet_document(report)
    group = next((row.fleet for row in report.rows if row.fleet.loss is not None), None)
    machines = 0 if group is None else group.machines
    beside = {
        "headline": one.headline,
        "left": left,
        "words": words,
        "links": Nowhere(),
        "baseline": "the baseline",
        "trust": one.trust,
        "counted": f"Each of {machines} machines counts once." if machines > 1 else "",
        "at": address(report.id),
        "lane_at": lambda lane: address(lane.activity),
        "measured": [lane for lane in report.lanes if lane.done],
        "most": MOST,
    }
    return replace(made, template="fleet_result.html", words={**made.words, **beside})


def _with_links(
    report: Page, template: str, late: Late, words: Mapping[str, Any], flames: tuple[Flame, ...] = ()
) -> Document:
    made = report_document(report, flames=flames)
    of_site = {"links": Opened(report), "most_trials": MOST_TRIALS, "late": late}
    return replace(made, template=template, words={**made.words, **of_site, **words})


def _drawn_part(one: Part) -> Document:
    words = {"at": address(one.report.result.id)}
    return _with_links(one.report, "result_part.html", one_alone(one.place), words, one.flames)


@page(router, "/results/{result}/parts/{place}", _drawn_part, charts=True)
def part(site: At, result: str, place: Place) -> Part:
    """One section of a result's page."""
    row = of_one(site, result)
    pictures = flames_of(row.folder) if place == "profiles" else ()
    return Part(place, shown(site, row), tuple(replace(one, files=()) for one in pictures))


@page(router, "/results/{result}", drawn, charts=True)
def result(
    site: At,
    by: By,
    result: str,
    asked: Annotated[OfSite, Query()],
) -> Shown:
    """A result: how much is left, what is lost, how sure that is, where it went."""
    report = found(site, result)
    said = Said(asked.machines or _known(site), asked.watts, asked.price_kwh, asked.currency)
    if isinstance(report, FleetPage):
        return _of_several(site, report, said)
    row = of_one(site, result)
    return Shown(
        headline_of(report, said, _work(row, said)),
        report,
        profiled=has_profiles(row.folder),
        tags=site.store.tags([row.id]).get(row.id, ()),
        may=("tag",) if by.role >= TagResult.role and row.controller is None else (),
    )


def _of_several(site: Site, report: FleetPage, said: Said) -> Shown:
    lanes = [row for row in site.store.lanes_of(report.id) if row.ended]
    if not lanes:
        return Shown(None, report)
    headline = fleet_headline(report, said, lanes[0].treatment, _work(lanes[0], said))
    trusted = {line.trust for line in result_lines(site, lanes) if line.estimates}
    return Shown(headline, report, trust=next((level for level in LOWEST if level in trusted), None))


LOWEST = ("low", "limited", "good")


def _work(row: ActivityRow, said: Said) -> Work:
    """Return what trials work off, where it is asked what that takes."""
    return Work() if said.watts is None else work_of(read_activity(row.folder))


post(router, "/results/{activity}/tag", TagResult, lambda act, _: address(act.activity), "its tags are kept")


def _known(site: Site) -> int | None:
    """Return how many machines the inventory has, guests aside; ``None`` of one, of which a share says
    enough.
    """
    count = sum(entry.guest_of is None for entry in site.store.entries())
    return count if count > 1 else None
