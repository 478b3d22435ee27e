"""Evaluation machines: the inventory, and one machine."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.store import quick
from assay.web.acts.requests import AddMachine
from assay.web.given import post
from assay.web.lines import moment
from assay.web.route import page
from assay.web.site import At, Site

router = APIRouter(tags=["machines"])


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
        seen: When that was, ISO 8601 in UTC.
    """

    name: str
    address: str | None
    groups: tuple[str, ...]
    tags: tuple[str, ...]
    role: str | None
    notes: str
    guest_of: str | None
    health: Health | None
    seen: str | None


@dataclass(frozen=True)
class Machines:
    """The inventory.

    Attributes:
        machines: Its machines, this one first.
        groups: All groups that machines are in.
        shown: The group whose machines are shown; ``None`` is all.
    """

    machines: tuple[MachineLine, ...]
    groups: tuple[str, ...]
    shown: str | None


@page(router, "/machines", "machines.html")
def machines(site: At, group: str | None = None) -> Machines:
    """The inventory, with how each machine is."""
    lines = machine_lines(site)
    groups = tuple(sorted({one for line in lines for one in line.groups}))
    return Machines(tuple(line for line in lines if group in (None, *line.groups)), groups, group)


def machine_lines(site: Site) -> tuple[MachineLine, ...]:
    """Return the machines of the inventory."""
    looks = quick.newest_health(site.home)
    health = {look.machine: look for look in (site.store.health() if looks is None else looks)}
    return tuple(_line(entry, health.get(entry.name)) for entry in site.store.entries())


def _line(entry: Entry, health: Health | None) -> MachineLine:
    return MachineLine(
        name=entry.name,
        address=_address(entry),
        groups=entry.groups,
        tags=tuple(f"{key}={value}" if value else key for key, value in entry.tags),
        role=None if entry.role is None else str(entry.role),
        notes=entry.notes,
        guest_of=entry.guest_of,
        health=health,
        seen=None if health is None else moment(health.at_ns),
    )


def _address(entry: Entry) -> str | None:
    machine = entry.machine
    if machine.host is None:
        return None
    user = f"{machine.user}@" if machine.user else ""
    return f"{user}{machine.host}" + (f":{machine.port}" if machine.port else "")


post(router, "/machines", AddMachine, lambda act, _: f"/machines/{act.name}", "added")
