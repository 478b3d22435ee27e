"""One evaluation machine: what is noted of it, how it is and was, what measured it; what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query

from assay.activities.booking import Booking, booking_of
from assay.activities.fingerprints import read_kept
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.check import Found
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Facts, Reach
from assay.model.units import format_bytes
from assay.report.charts.health import HealthStep, health_charts, health_panels, thin
from assay.report.lists.fingerprint import spell
from assay.report.render.frame import Document, document
from assay.store.checks import last_found
from assay.store.fingerprints import Kept, kept_of
from assay.web.acts.requests import CheckMachine, EditMachine, KeepFacts, RemoveMachine, UndrainMachine
from assay.web.given import post
from assay.web.lines import ResultLine, moment, result_lines
from assay.web.route import page
from assay.web.site import At, Site
from assay.web.views.kept import KeptLine, kept_line
from assay.web.views.machines import MachineLine, address_of, groups_of, machine_line, tag_words

router = APIRouter(tags=["machines"])
RESULTS = 20
"""Results of a machine that are shown."""
KEPT = 10
"""Fingerprints that are listed, the newest."""
DAY_NS = 86_400 * 10**9


@dataclass(frozen=True)
class Booked:
    """The activity that measures a machine now.

    Attributes:
        id: Its id; of one on several machines that of the whole.
        title: The scene's title.
        machine: The machine that it measures: this one, or one with the same processors.
        since: When it took it up, ISO 8601 in UTC.
        controller: Another controller that has it; ``None`` where it is of this home.
    """

    id: str
    title: str
    machine: str
    since: str
    controller: str | None


@dataclass(frozen=True)
class Quantity:
    """A quantity over the time shown, as text.

    Attributes:
        name: What it is.
        now: Its value at the last look; ``None`` is "not told".
        least: Its smallest value.
        most: Its largest value.
    """

    name: str
    now: str | None
    least: str
    most: str


@dataclass(frozen=True)
class OverTime:
    """How a machine was.

    Attributes:
        days: Days before the last look that are shown; ``None`` is all that is kept.
        looks: Looks in that time.
        missed: How many of them did not reach it.
        since: The first of them, ISO 8601 in UTC; ``None`` where there is none.
        quantities: What was told.
        steps: The looks, joined by equal steps of time.
    """

    days: int | None
    looks: int
    missed: int
    since: str | None
    quantities: tuple[Quantity, ...]
    steps: tuple[HealthStep, ...]


@dataclass(frozen=True)
class ScenePair:
    """The newest two results of a scene on a machine.

    Attributes:
        scene: Name of the scene.
        older: Id of the older result.
        newer: Id of the newer one.
    """

    scene: str
    older: str
    newer: str


@dataclass(frozen=True)
class MachinePage:
    """A machine.

    Attributes:
        machine: What is noted of it, and how it was at the last look.
        own: Whether it is the machine that the pages are served from.
        guests: Machines of the inventory that it carries.
        booked: The activity that measures it now, as far as this home knows; ``None`` for none.
        found: What its last check has found; ``None`` where there was none.
        checked: When that was, ISO 8601 in UTC.
        facts: What it is by the last facts that were kept, in short; empty where none were, or none can be
            read.
        kept: The newest of what is kept of it, the newest first.
        kept_count: How many of these there are.
        over_time: How it was.
        results: The newest results that were measured on it.
        more: Whether there are further ones.
        pairs: Of each scene with two or more of these results the newest two.
    """

    machine: MachineLine
    own: bool
    guests: tuple[str, ...]
    booked: Booked | None
    found: Found | None
    checked: str | None
    facts: tuple[tuple[str, str], ...]
    kept: tuple[KeptLine, ...]
    kept_count: int
    over_time: OverTime
    results: tuple[ResultLine, ...]
    more: bool
    pairs: tuple[ScenePair, ...]


def _drawn(found: MachinePage) -> Document:
    steps = found.over_time.steps if len(found.over_time.steps) > 1 else ()  # one look is no line
    panels = health_panels(steps)
    return document("machine.html", health_charts(steps), page=found, panels=panels)


@page(router, "/machines/{name}", _drawn, charts=True)
def machine(site: At, name: str, days: Annotated[int | None, Query(ge=1, le=366)] = None) -> MachinePage:
    """A machine: what it is, how it is and was, what measured it."""
    entry = entry_of(site, name)
    looks, kept = site.store.health(name), kept_of(site.home, name)[::-1]
    booking = booking_of(entry.machine, home=site.home, store=site.store)
    rows = site.store.activities_on(name, limit=RESULTS + 1)
    found, results = last_found(site.home, name), result_lines(site, rows[:RESULTS])
    return MachinePage(
        machine=machine_line(entry, looks[-1] if looks else None, _reached(looks)),
        own=entry.machine.host is None,
        guests=tuple(one.name for one in site.store.entries() if one.guest_of == name),
        booked=None if booking is None else _booked(booking),
        found=found,
        checked=None if found is None else moment(found.at_ns),
        facts=_in_short(kept),
        kept=tuple(map(kept_line, kept[:KEPT])),
        kept_count=len(kept),
        over_time=_over_time(looks, days),
        results=results,
        more=len(rows) > RESULTS,
        pairs=tuple(_pairs(results)),
    )


def _pairs(results: Sequence[ResultLine]) -> Iterator[ScenePair]:
    """Yield the newest two results of each scene, of results from the newest on."""
    of: dict[str, list[str]] = {}
    for line in results:
        of.setdefault(line.scene, []).append(line.id)
    yield from (ScenePair(scene, ids[1], ids[0]) for scene, ids in of.items() if len(ids) > 1)


@dataclass(frozen=True)
class EditForm:
    """The form of what is noted of a machine.

    Attributes:
        name: Its name.
        ssh: Where it is, ``USER@HOST:PORT``; ``None`` of a node that a batch system gives.
        groups: Groups that it is in, with commas between.
        tags: What is noted of it, a line each; ``None`` where a value holds what a form would change:
            that stays as it is.
        meant_for: Its role; empty where that is not said.
        guest_of: The machine that carries it; empty where none does.
        notes: For people; ``None`` as for tags.
        roles: What a machine may be meant for.
        known_groups: Groups that there are.
    """

    name: str
    ssh: str | None
    groups: str
    tags: str | None
    meant_for: str
    guest_of: str
    notes: str | None
    roles: tuple[str, ...]
    known_groups: tuple[str, ...]


@page(router, "/machines/{name}/edit", "machine_edit.html")
def edit_form(site: At, name: str) -> EditForm:
    """What is noted of a machine, to be changed."""
    entry = entry_of(site, name)
    address = address_of(entry)
    if address is None:
        msg = f"cannot edit machine '{name}': it is this machine"
        raise AssayError(msg)
    tags = tag_words(entry)
    return EditForm(
        name=name,
        ssh=address if entry.machine.reach is Reach.SSH else None,
        groups=", ".join(entry.groups),
        tags=_as_typed(tags),
        meant_for=str(entry.role or ""),
        guest_of=entry.guest_of or "",
        notes=_as_typed(entry.notes.split("\n")),
        roles=tuple(Role),
        known_groups=groups_of(site.store.entries()),
    )


def _as_typed(lines: Sequence[str]) -> str | None:
    """Return lines as a form has them; ``None`` where it would send back others."""
    return "\n".join(lines) if all(map(str.isprintable, lines)) else None


def entry_of(site: Site, name: str) -> Entry:
    """Return a machine of the inventory.

    Raises:
        UnknownNameError: There is none of that name.
    """
    known = {entry.name: entry for entry in site.store.entries()}
    if name not in known:
        raise UnknownNameError(kind="machine", name=name, known=known, hint="assay machine list")
    return known[name]


def _reached(looks: Sequence[Health]) -> int | None:
    """Return when the last look that reached a machine was, ns since 1970; ``None`` where none did."""
    return next((look.at_ns for look in reversed(looks) if look.why is None), None)


def _booked(booking: Booking) -> Booked:
    row = booking.row
    return Booked(
        id=row.fleet or row.id,
        title=row.title,
        machine=booking.machine,
        since=moment(booking.since_ns),
        controller=booking.controller,
    )


def _in_short(kept: Sequence[Kept]) -> tuple[tuple[str, str], ...]:
    for one in kept:
        try:
            return _told(read_kept(one).facts)
        except AssayError:
            continue
    return ()


def _told(facts: Facts) -> tuple[tuple[str, str], ...]:
    told = {
        "host name": facts.hostname,
        "processor": facts.cpu_model,
        "processors": len(facts.cpus),
        "cores": len(facts.siblings) or None,
        "memory": format_bytes(facts.memory_bytes),
        "kernel": facts.kernel,
        "architecture": facts.architecture,
        "virtual": facts.hypervisor,
        "clock": facts.clock_source,
        "governor": facts.governor,
        "huge pages": facts.thp,
        "control groups": facts.cgroup,
    }
    return tuple((name, spell(value)) for name, value in told.items() if value is not None)


def _over_time(looks: Sequence[Health], days: int | None) -> OverTime:
    if days is not None and looks:
        oldest = looks[-1].at_ns - days * DAY_NS
        looks = [look for look in looks if look.at_ns >= oldest]
    steps = thin(looks)
    return OverTime(
        days=days,
        looks=len(looks),
        missed=sum(look.why is not None for look in looks),
        since=moment(looks[0].at_ns) if looks else None,
        quantities=tuple(
            found for name, field, text in QUANTITIES if (found := _quantity(name, field, text, looks))
        ),
        steps=steps,
    )


def _quantity(
    name: str, field: str, text: Callable[[float], str], looks: Sequence[Health]
) -> Quantity | None:
    told = [getattr(look, field) for look in looks]
    known = [value for value in told if value is not None]
    if not known:
        return None
    return Quantity(name, None if told[-1] is None else text(told[-1]), text(min(known)), text(max(known)))


QUANTITIES: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("load of the last minute", "load", lambda value: f"{value:.2f}"),
    ("busy share of the processors' time", "busy", lambda value: f"{value * 100:.0f} %"),
    ("stolen share of the processors' time", "steal", lambda value: f"{value * 100:.1f} %"),
    ("free room where trials work", "free_bytes", lambda value: format_bytes(round(value))),
    ("hottest sensor", "temperature_c", lambda value: f"{value:.0f} °C"),
    ("slow-downs of the processors since boot", "throttles", lambda value: f"{value:.0f}"),
)


def _to_machine(act: EditMachine | CheckMachine | KeepFacts, _: object) -> str:
    return f"/machines/{act.name}"


post(router, "/machines/{name}/edit", EditMachine, _to_machine, "changed")
post(router, "/machines/{name}/check", CheckMachine, _to_machine, "checked: what was found stands below")
post(router, "/machines/{name}/facts", KeepFacts, _to_machine, "its facts are kept")
post(router, "/machines/{name}/undrain", UndrainMachine, lambda _act, _done: "/machines", "given back")
post(router, "/machines/{name}/remove", RemoveMachine, lambda _act, _done: "/machines", "removed")
