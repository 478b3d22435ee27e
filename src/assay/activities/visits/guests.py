"""Several guests as the place where the trials of one visit run, all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from assay.activities.interrupts import Interrupts
from assay.activities.visits.visit import Visit, guest_visit
from assay.model.activity import PlannedArm
from assay.platforms.guests.guest import Guest, GuestSpec
from assay.platforms.several import start_guests
from assay.probe import Probe

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
    try:
        with ExitStack() as stack:
            first, *others = (stack.enter_context(_stage(guest, arm, host)) for guest in guests)
            first.beside = tuple(others)
            yield first
    finally:
        with interrupts.held():
            _remove(guests)


@contextmanager
def _stage(guest: Guest, arm: PlannedArm, host: Probe) -> Iterator[Visit]:
    with guest_visit(guest, arm.label, guest.spec.activity, home=guest.spec.home) as visit:
        visit.host, visit.cache = host, arm.cache
        yield visit


def _remove(guests: Sequence[Guest]) -> None:
    """Remove all guests, the rest too where one cannot be."""
    with ExitStack() as stack:
        for guest in guests:
            stack.callback(guest.destroy)
