"""What is kept of a machine: its facts at a time, what differs between two, what changed and when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from assay.activities.changes import Change, changes_of
from assay.activities.fingerprints import last_two, read_kept
from assay.model.errors import AssayError
from assay.model.machines.fingerprint import Difference, differences, flatten
from assay.report.lists.fingerprint import spell
from assay.report.render.frame import Document, document
from assay.store.confined import is_plain_name
from assay.store.fingerprints import FORM, LAST, Kept, find_kept, kept_of
from assay.web.lines import moment
from assay.web.route import page
from assay.web.site import At, Site

router = APIRouter(tags=["machines"])
Side = Annotated[str | None, Query(max_length=200)]
LONGEST = 100
"""Letters of a machine's name."""
CHANGES = 50
"""Changes that are shown, the newest."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}(-.*)?")


@dataclass(frozen=True)
class KeptLine:
    """Something kept of a machine.

    Attributes:
        name: By which it is named, ``node01@2026-11-20T131500Z``.
        time: When it was taken, as part of that name.
        taken: When it was taken, ISO 8601 in UTC.
        recorded: Whether it is a recorded machine; else a fingerprint.
    """

    name: str
    time: str
    taken: str
    recorded: bool


def kept_line(kept: Kept) -> KeptLine:
    """Return something kept in one line."""
    try:
        taken = datetime.strptime(kept.time, FORM).replace(tzinfo=UTC).isoformat()
    except ValueError:
        taken = kept.time
    return KeptLine(kept.name, kept.time, taken, kept.recorded)


@dataclass(frozen=True)
class FactGroup:
    """Facts of one group.

    Attributes:
        name: ``general``, ``hardware``, ``kernel`` and so on.
        facts: Field and value of each, as text.
    """

    name: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FactsPage:
    """All that the probe saw of a machine at a time.

    Attributes:
        machine: The machine's name.
        kept: What is shown.
        groups: The facts.
    """

    machine: str
    kept: KeptLine
    groups: tuple[FactGroup, ...]


@page(router, "/machines/{name}/facts", "machine_facts.html")
def facts(site: At, name: str, at: Annotated[str, Query(max_length=40)] = LAST) -> FactsPage:
    """All that the probe saw of a machine, at the last time or another that was kept."""
    kept = _kept(site, name, at)
    groups: dict[str, list[tuple[str, str]]] = {}
    for (group, field), value in flatten(read_kept(kept)).items():
        groups.setdefault(group, []).append((field, spell(value)))
    found = tuple(FactGroup(group, tuple(some)) for group, some in groups.items())
    return FactsPage(name, kept_line(kept), found)


@dataclass(frozen=True)
class DiffPage:
    """What differs between two fingerprints.

    Attributes:
        machine: The machine whose page led here.
        a: The one side.
        b: The other.
        differences: What differs.
        kept: What else is kept of the machine, the newest first.
    """

    machine: str
    a: KeptLine
    b: KeptLine
    differences: tuple[Difference, ...]
    kept: tuple[KeptLine, ...]


def _drawn_diff(found: DiffPage) -> Document:
    return document("machine_diff.html", (), page=found, spell=spell)


@page(router, "/machines/{name}/diff", _drawn_diff)
def diff(site: At, name: str, a: Side = None, b: Side = None) -> DiffPage:
    """What differs between two dates of a machine, or between it and another; else the last two."""
    kept = kept_of(site.home, _plain(name))[::-1]
    if not a and not b:
        sides = last_two(name, home=site.home)
    else:
        sides = (_side(site, name, a or LAST), _side(site, name, b or LAST))
    older, newer = sides
    found = differences(read_kept(older), read_kept(newer))
    return DiffPage(name, kept_line(older), kept_line(newer), found, tuple(map(kept_line, kept)))


def _side(site: Site, name: str, text: str) -> Kept:
    """Return what a text names: a time of a machine, another machine by its last, or one at a time."""
    machine, at, time = text.partition("@")
    if not at:
        machine, time = (name, text) if text == LAST or _TIME.fullmatch(text) else (text, LAST)
    return _kept(site, machine, time)


def _kept(site: Site, machine: str, time: str) -> Kept:
    return find_kept(site.home, _plain(machine), time)


def _plain(name: str) -> str:
    """Return a name that is one part of a path.

    Raises:
        AssayError: It is none.
    """
    if not is_plain_name(name) or len(name) > LONGEST:
        msg = f"cannot find what was kept of {name!r}: expected the name of a machine"
        raise AssayError(msg, hint="node02, or node02@2026-11-20")
    return name


@dataclass(frozen=True)
class ChangesPage:
    """What changed of a machine, by what was kept of it and by what activities saw.

    Attributes:
        machine: The machine's name.
        changes: The newest changes, the newest first.
        count: How many there are.
    """

    machine: str
    changes: tuple[ChangeLine, ...]
    count: int


@dataclass(frozen=True)
class ChangeLine:
    """What was another from one look to the next.

    Attributes:
        after: When it was last seen as before, ISO 8601 in UTC.
        at: When it was first seen otherwise.
        differences: The facts.
        before: Newest activity that measured it as before; ``None`` where there is none.
        since: Oldest activity that measured it after the change; ``None`` where there is none.
    """

    after: str
    at: str
    differences: tuple[Difference, ...]
    before: str | None
    since: str | None


def _drawn_changes(found: ChangesPage) -> Document:
    return document("machine_changes.html", (), page=found, spell=spell)


@page(router, "/machines/{name}/changes", _drawn_changes)
def changes(site: At, name: str) -> ChangesPage:
    """What changed of a machine and when, and the activities before and after."""
    machine = site.store.machine(name)
    found = changes_of(machine.name, home=site.home, store=site.store)
    return ChangesPage(name, tuple(map(_line, found[: -CHANGES - 1 : -1])), len(found))


def _line(change: Change) -> ChangeLine:
    return ChangeLine(
        after=moment(change.after_ns),
        at=moment(change.at_ns),
        differences=change.differences,
        before=change.before,
        since=change.since,
    )
