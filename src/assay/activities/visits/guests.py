"""Several guests as the place where the trials of one visit run, all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.activities.interrupts import Interrupts
from assay.activities.visits.visit import Visit, guest_visit
from assay.model.activity import PlannedArm
from assay.platforms.guests.guest import Guest, GuestSpec
from assay.platforms.several import start_guests
from assay.probe import Probe

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor

AT_ONCE = 2
"""Guests that boot at a time: more wait for one another's processors and for the same image."""
BOOT_S = 120.0 * AT_ONCE
"""Until each must be usable: guests that share a core with the others take as many times as long to boot."""


@contextmanager
def several_visits(
    connection: Any, specs: Sequence[GuestSpec], arm: PlannedArm, *, host: Probe, interrupts: Interrupts
) -> Iterator[Visit]:
    """Boot guests and open a visit in each, once all are usable; at the end all of them are removed.

    Args:
        connection: libvirt's system daemon.
        specs: The guests, of one activity.
        arm: The arm that they are.
        host: The probe on their host.
        interrupts: Holds signals while they are removed.

    Yields:
        The first guest's visit, with the others beside it.

    Raises:
        PlatformError: one does not start, or is not what was asked for; none is left.
        UnreachableError: one does not answer.
    """
    guests = start_guests(connection, specs, at_once=AT_ONCE, timeout_s=BOOT_S)
    with visits_of(guests, arm, Site(specs[0].home, specs[0].activity, host), interrupts=interrupts) as visit:
        yield visit


@dataclass(frozen=True)
class Site:
    """Where the guests of an arm are, and from where they are visited.

    Attributes:
        home: Folder of all state here.
        activity: Identity of the activity.
        host: The probe on their host.
        through: Door of the machine that carries them, where that is another one.
    """

    home: Path
    activity: str
    host: Probe
    through: SshDoor | None = None


@contextmanager
def visits_of(
    guests: Sequence[Guest], arm: PlannedArm, site: Site, *, interrupts: Interrupts
) -> Iterator[Visit]:
    """Open a visit in each of some guests that are usable; at the end all of them are removed. Yields and
    raises as ``several_visits``.
    """
    try:
        with ExitStack() as stack:
            first, *others = (stack.enter_context(_stage(guest, arm, site)) for guest in guests)
            first.beside = tuple(others)
            yield first
    finally:
        with interrupts.held():
            remove_guests(guests)


@contextmanager
def _stage(guest: Guest, arm: PlannedArm, site: Site) -> Iterator[Visit]:
    with guest_visit(guest, arm.label, site.activity, home=site.home, through=site.through) as visit:
        visit.host, visit.cache = site.host, arm.cache
        yield visit


def remove_guests(guests: Sequence[Guest]) -> None:
    """Remove all guests, the rest too where one cannot be.

    All are ended before anything of one is removed: each QEMU process sees what is mounted for the others.
    """
    with ExitStack() as stack:
        for guest in guests:
            stack.callback(guest.destroy)
        for guest in guests:
            stack.callback(guest.end)
