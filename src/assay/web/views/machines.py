"""Evaluation machines: the inventory, searched and page by page, and the form that adds one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from assay.machines.address import Address
from assay.machines.batch.taken import Taken
from assay.machines.who import chosen
from assay.model.errors import AssayError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Reach
from assay.store import quick
from assay.web.acts.requests import AddMachine
from assay.web.given import post
from assay.web.lines import moment
from assay.web.route import page
from assay.web.site import At, By, Site

router = APIRouter(tags=["machines"])
PER_PAGE = 100
Sort = Literal["name", "load", "busy", "steal", "seen"]
SORTS: dict[str, Callable[[Health], float | None]] = {
    "load": lambda look: look.load,
    "busy": lambda look: look.busy,
    "steal": lambda look: look.steal,
}


@dataclass(frozen=True)
class MachineLine:
    """A machine in one line.

    Attributes:
        name: Its name.
        address: USER@HOST:PORT; ``None`` is the machine that the pages are served from.
        groups: Groups that it is in.
        tags: What is noted of it, ``key=value``.
        role: What it is meant for; ``None`` where that is not said.
        notes: For people.
        guest_of: The machine that carries it; ``None`` where none does.
        health: How it was when it was last looked at; ``None`` where nobody did.
        looked: When that was, ISO 8601 in UTC.
        seen: When a look last reached it, ISO 8601 in UTC; ``None`` where none that is kept did.
    """

    name: str
    address: str | None
    groups: tuple[str, ...]
    tags: tuple[str, ...]
    role: str | None
    notes: str
    guest_of: str | None
    health: Health | None
    looked: str | None
    seen: str | None


@dataclass(frozen=True)
class Among:
    """Machines that have something in common.

    Attributes:
        who: The words that name them.
        machines: How many they are.
    """

    who: str
    machines: int


@dataclass(frozen=True)
class NodeLine:
    """A node that a batch system has given, or that is drained.

    Attributes:
        machine: The machine that it is.
        engine: The batch system.
        node: Its name there.
        job: Id of the job that holds it; ``None`` where it is drained.
        since: Since when, ISO 8601 in UTC.
        used: Whether it is measured; else an evaluation was killed, and it is to be given back.
    """

    machine: str
    engine: str
    node: str
    job: str | None
    since: str
    used: bool


@dataclass(frozen=True)
class Machines:
    """The inventory, or what was searched for, a page of it.

    Attributes:
        machines: The machines of this page.
        count: Machines that were found, on all pages.
        all: Machines of the inventory.
        at: This page, from 1.
        pages: How many pages there are, 1 or more.
        find: What was searched for: names, groups, ``node[01-50]``, ``@tag``; empty is all.
        wrong: Why nothing can be found by it; ``None`` where it can.
        sort: What they are sorted by; the largest first, names from a.
        groups: All groups that machines are in.
        tags: All keys of tags.
        nodes: Nodes of batch systems that are ours just now.
    """

    machines: tuple[MachineLine, ...]
    count: int
    all: int
    at: int
    pages: int
    find: str
    wrong: str | None
    sort: Sort
    groups: tuple[Among, ...]
    tags: tuple[Among, ...]
    nodes: tuple[NodeLine, ...]


@page(router, "/machines", "machines.html")
def machines(
    site: At,
    by: By,
    find: Annotated[str, Query(max_length=1000)] = "",
    sort: Sort = "name",
    at: Annotated[int, Query(ge=1)] = 1,
) -> Machines:
    """The inventory, with how each machine is: names, groups, node[01-50] or @tag of it, page by page."""
    entries, wrong = site.store.entries(), None
    found: tuple[Entry, ...] = entries
    if find.strip():
        try:
            found = chosen(find, entries)
        except AssayError as error:
            found, wrong = (), error.message
    health, seen = _newest_health(site), _last_seen(site)
    ordered = sorted(found, key=_order(sort, health, seen))
    pages = max(1, -(-len(found) // PER_PAGE))
    at = min(at, pages)
    shown = ordered[(at - 1) * PER_PAGE : at * PER_PAGE]
    return Machines(
        machines=tuple(machine_line(entry, health.get(entry.name), seen.get(entry.name)) for entry in shown),
        count=len(found),
        all=len(entries),
        at=at,
        pages=pages,
        find=find,
        wrong=wrong,
        sort=sort,
        groups=_among("", (group for entry in entries for group in entry.groups)),
        tags=_among("@", (key for entry in entries for key, _ in entry.tags)),
        nodes=tuple(map(_node_line, site.looks.nodes(by))),
    )


def _node_line(node: Taken) -> NodeLine:
    return NodeLine(node.machine, node.engine, node.node, node.job, moment(node.since_ns), node.used)


@dataclass(frozen=True)
class AddForm:
    """The form that adds a machine.

    Attributes:
        roles: What a machine may be meant for.
        groups: Groups that there are.
    """

    roles: tuple[str, ...]
    groups: tuple[str, ...]


@page(router, "/add-machine", "machine_add.html")
def add_form(site: At) -> AddForm:
    """What may be said of a machine that is added."""
    return AddForm(tuple(Role), groups_of(site.store.entries()))


def groups_of(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the groups that machines are in, sorted."""
    return tuple(sorted({group for entry in entries for group in entry.groups}))


def machine_lines(site: Site) -> tuple[MachineLine, ...]:
    """Return the machines of the inventory."""
    health, seen = _newest_health(site), _last_seen(site)
    return tuple(
        machine_line(entry, health.get(entry.name), seen.get(entry.name)) for entry in site.store.entries()
    )


def machine_line(entry: Entry, health: Health | None, seen_ns: int | None) -> MachineLine:
    """Return a machine in one line.

    Args:
        entry: What is noted of it.
        health: How it was at the last look; ``None`` where nobody looked.
        seen_ns: When a look last reached it, ns since 1970; ``None`` for never.
    """
    return MachineLine(
        name=entry.name,
        address=address_of(entry),
        groups=entry.groups,
        tags=tag_words(entry),
        role=None if entry.role is None else str(entry.role),
        notes=entry.notes,
        guest_of=entry.guest_of,
        health=health,
        looked=None if health is None else moment(health.at_ns),
        seen=None if seen_ns is None else moment(seen_ns),
    )


def address_of(entry: Entry) -> str | None:
    """Return where a machine is, as people write it; ``None`` for the one that the pages are served from."""
    machine = entry.machine
    if machine.reach not in {Reach.LOCAL, Reach.SSH}:
        return f"{machine.reach}: {machine.host}"
    return None if machine.host is None else str(Address(machine.host, machine.user, machine.port))


def tag_words(entry: Entry) -> tuple[str, ...]:
    """Return the tags of a machine as people write them."""
    return tuple(f"{key}={value}" if value else key for key, value in entry.tags)


def _newest_health(site: Site) -> dict[str, Health]:
    looks = quick.newest_health(site.home)
    return {look.machine: look for look in (site.store.health() if looks is None else looks)}


def _last_seen(site: Site) -> dict[str, int]:
    seen = quick.last_seen(site.home)
    return site.store.last_seen() if seen is None else seen


def _among(sign: str, names: Iterable[str]) -> tuple[Among, ...]:
    return tuple(Among(f"{sign}{name}", count) for name, count in sorted(Counter(names).items()))


def _order(
    sort: Sort, health: dict[str, Health], seen: dict[str, int]
) -> Callable[[Entry], tuple[float, bool, str]]:
    """Return what machines are sorted by: those of which it is not known come last."""

    def order(entry: Entry) -> tuple[float, bool, str]:
        look = health.get(entry.name)
        if sort == "seen":
            told: float | None = seen.get(entry.name)
        else:
            told = None if look is None or sort == "name" else SORTS[sort](look)
        return (math.inf if told is None else -told, entry.machine.host is not None, entry.name)

    return order


post(
    router,
    "/machines",
    AddMachine,
    lambda act, _: f"/machines/{act.name}",
    "added, and looked at: what the check has found stands below",
)
