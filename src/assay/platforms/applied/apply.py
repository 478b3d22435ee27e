"""Puts a change-set into a domain's definition and into files of the host, looks at it, and takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Act, Settings
from assay.factors.export.domain import into_domain
from assay.factors.host_acts import host_part, planned_acts
from assay.factors.start.starts import ELSEWHERE
from assay.model.errors import AssayError, UnknownNameError
from assay.platforms.applied.journal import (
    APPLIED,
    BACK,
    BEGUN,
    Applied,
    HostFile,
    read_applied,
    write_applied,
)
from assay.platforms.errors import ClaimedError, PlatformError, asking_libvirt
from assay.platforms.guests.domains import define_domain, find_domain, read_mark
from assay.platforms.host.journal import place_of, read_changes
from assay.platforms.host.undo import say, write_file

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain


@dataclass(frozen=True)
class Looked:
    """A setting that was applied, as it is now.

    Attributes:
        name: The factor.
        level: The level that was put in.
        where: ``definition``, ``running`` or ``host``.
        ok: It is so.
        detail: What is there instead, or what is to be done; empty where nothing is.
    """

    name: str
    level: str
    where: str
    ok: bool
    detail: str = ""


def apply(
    folder: Path, settings: Settings, *, domain: str | None, connection: virConnect | None, host: Host
) -> Applied:
    """Put levels into a domain and into the host's files, each remembered before it is written.

    Args:
        folder: Where the journal lies.
        settings: Levels; those of the host are written into its files.
        domain: Name of the domain; ``None`` changes the host alone.
        connection: Its hypervisor; ``None`` without a domain.
        host: This machine.

    Raises:
        ClaimedError: A change-set is applied already, or the domain is a guest of assay's.
        UnknownNameError: There is no such domain.
        PlatformError: libvirt or the kernel refuses: nothing stays changed.
    """
    before = read_applied(folder)
    if before is not None and before.state != BACK:
        msg = f"cannot apply: a change-set is in {before.domain or 'the host'} already"
        raise ClaimedError(msg, hint="assay tune rollback takes it back")
    files = tuple(
        HostFile(one.factor, one.act.path, one.before, one.act.value, one.undo)
        for one in planned_acts(host_part(settings), host)
        if not one.in_force
    )
    if settings and all(name in ELSEWHERE for name in settings):
        msg = f"cannot apply {' and '.join(settings)}: it is when jobs start, and of no domain"
        raise AssayError(msg, hint=ELSEWHERE[next(iter(settings))])
    if domain is None and not host_part(settings):
        msg = "cannot apply: all changes are the guest's, and no domain is named"
        raise AssayError(msg, hint="name it with --domain: virsh list --all")
    unnamed = "it is the guest's: name its domain"
    text, new, left = "", "", {name: ELSEWHERE.get(name, unnamed) for name in settings}
    if domain is not None and connection is not None:
        text = _definition(_found(connection, domain))
        new, left = into_domain(text, settings, host)
    left = {name: reason for name, reason in left.items() if name not in host_part(settings)}
    applied = Applied(BEGUN, dict(settings), left, domain, text, "", files)
    write_applied(folder, applied)
    try:
        for one in files:
            _write(one)
        if domain is not None and connection is not None:
            define_domain(connection, domain, new)
            applied = applied.at(APPLIED, after=_definition(_found(connection, domain)))
    except AssayError:
        _take_back_files(applied)
        write_applied(folder, applied.at(BACK))
        raise
    applied = applied.at(APPLIED)
    write_applied(folder, applied)
    return applied


def refuse_held_files(settings: Settings, home: Path, host: Host) -> None:
    """Refuse to change files of the host that an activity holds changed: they do not say what is the host's.

    Raises:
        ClaimedError: One is held.
    """
    held = {place_of(change.path): change for change in read_changes(home)}
    for one in planned_acts(host_part(settings), host):
        if (other := held.get(place_of(one.act.path))) is not None:
            msg = f"cannot apply: {one.act.path} is held at {other.ours} by activity {other.activity}"
            raise ClaimedError(msg, hint="assay machine restore --dry-run")


def look(applied: Applied, *, connection: virConnect | None, host: Host) -> list[Looked]:
    """Return how each setting is now: in the domain's definition, in the running guest, on the host."""
    return [*_look_at_domain(applied, connection, host), *_look_at_files(applied)]


def roll_back(folder: Path, *, connection: virConnect | None) -> list[str]:
    """Take back what was applied; return what was left as it is, one sentence each.

    What somebody else has changed since is theirs, and left.

    Raises:
        UnknownNameError: Nothing was applied, or the domain is gone.
        PlatformError: libvirt or the kernel refuses: the journal stays.
    """
    applied = read_applied(folder)
    if applied is None or applied.state == BACK:
        msg = "cannot roll back: nothing is applied"
        raise AssayError(msg)
    left = []
    if applied.domain is not None and connection is not None:
        now = _definition(_found(connection, applied.domain))
        if now not in {applied.after, applied.before} and applied.after:
            left.append(
                f"the definition of {applied.domain} was changed since by somebody else: it stays as it is"
            )
        elif now != applied.before:
            define_domain(connection, applied.domain, applied.before)
    left += _take_back_files(applied)
    write_applied(folder, applied.at(BACK))
    return left


def _write(one: HostFile) -> None:
    try:
        write_file(Act(one.path, one.ours))
    except OSError as error:
        msg = f"cannot set {one.factor}: {one.path}: {error}"
        raise PlatformError(msg) from error


def _take_back_files(applied: Applied) -> list[str]:
    """Put back the host's files in reverse order; return what somebody else has changed since."""
    left = []
    for one in reversed(applied.files):
        now = say(one.path)
        if now == one.before:
            continue
        if now != one.ours:
            left.append(f"{one.path} says '{now}', which is neither ours nor what it said before: it stays")
            continue
        for act in one.undo:
            try:
                write_file(act)
            except OSError as error:
                msg = f"cannot put back {one.factor}: {one.path}: {error}"
                raise PlatformError(msg) from error
    return left


@asking_libvirt("look for a domain")
def _found(connection: virConnect, name: str) -> virDomain:
    domain = find_domain(connection, name)
    if domain is None:
        known = [str(one.name()) for one in connection.listAllDomains()]
        kind = "domain"
        raise UnknownNameError(kind, name, known, hint="virsh list --all")
    if (mark := read_mark(domain)) is not None:
        msg = f"cannot change domain {name}: it is a guest of activity {mark.activity} under {mark.home}"
        raise ClaimedError(msg, hint="name a domain that somebody else made")
    if not domain.isPersistent():
        msg = f"cannot change domain {name}: it has no definition that stays"
        raise PlatformError(msg, hint=f"virsh dumpxml {name} > {name}.xml; virsh define {name}.xml")
    return domain


@asking_libvirt("read a domain")
def _definition(domain: virDomain) -> str:
    """Return what a domain is at its next start, what is secret too: it is defined from this again."""
    import libvirt

    return str(domain.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE | libvirt.VIR_DOMAIN_XML_SECURE))


def _look_at_domain(applied: Applied, connection: virConnect | None, host: Host) -> Iterator[Looked]:
    if applied.domain is None or connection is None:
        return
    domain = _found(connection, applied.domain)
    texts = [("definition", _definition(domain))]
    if domain.isActive():
        texts.append(("running", str(domain.XMLDesc(0))))
    for name, level in applied.settings.items():
        if name in applied.left or name in host_part(applied.settings):
            continue
        for where, text in texts:
            same = _same(into_domain(text, {name: level}, host)[0], text)
            todo = "" if same else "starts anew to have it" if where == "running" else "somebody changed it"
            yield Looked(name, level, where, same, todo)


def _same(one: str, other: str) -> bool:
    return ElementTree.canonicalize(one, strip_text=True) == ElementTree.canonicalize(other, strip_text=True)


def _look_at_files(applied: Applied) -> Iterator[Looked]:
    for one in applied.files:
        now = say(one.path)
        yield Looked(
            one.factor, one.ours, "host", now == one.ours, "" if now == one.ours else f"says '{now}'"
        )
