"""Guests that come from a saved state in each visit: when they may, how they are got, and what that hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.activities.events import Watcher
from assay.factors.base.evidence import Host
from assay.factors.base.versions import too_old
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError, MissingError
from assay.platforms.guests.guest import Guest, GuestSpec, start_guest
from assay.platforms.saved_states.restore import restore_guest
from assay.platforms.saved_states.saved import find_saved, levels_that_boot, save_guest
from assay.platforms.saved_states.saved_store import SavedState
from assay.scenes import Guest as Wanted

if TYPE_CHECKING:
    from libvirt import virConnect

_PASSES_FILES = (8, 2, 0)
"""libvirt's first with ``virDomainQemuMonitorCommandWithFiles``, by which QEMU is given a state."""


def check_restored(wanted: Wanted, *, on: Host) -> None:
    """Refuse a guest that shall be restored where that cannot be: its host's libvirt is too old, or it has a
    level that takes hold only while a guest boots.

    Raises:
        MissingError: Its host's libvirt is.
        AssayError: It has, with the reason.
    """
    if not wanted.restored:
        return
    cannot = "cannot restore the guest of this scene from a saved state"
    if old := too_old(on, libvirt=_PASSES_FILES):
        msg = f"{cannot}: {old}"
        raise MissingError(msg, hint="start: boot")
    why = levels_that_boot(wanted.settings)
    if wanted.layout.guests > 1:
        why = "guests of a layout boot, since those of one state have the same addresses"
    if why is not None:
        msg = f"{cannot}: {why}"
        raise AssayError(msg, hint="start: boot")


def restored_guest(connection: virConnect, spec: GuestSpec, watcher: Watcher) -> Guest:
    """Make the guest of a visit from the saved state of its spec.

    The state is saved first where there is none: a guest of the same spec boots for it, and is ended.

    Raises:
        PlatformError: libvirt or QEMU refuses it, or its clock cannot be set.
        GuestBootError: It was not usable in time.
        UnreachableError: It does not answer.
    """
    from assay.machines.ssh.talk import talk

    saved = find_saved(connection, spec) or _save(connection, spec, watcher)
    return restore_guest(connection, saved, spec, talk=talk)


def _save(connection: virConnect, spec: GuestSpec, watcher: Watcher) -> SavedState:
    from assay.machines.ssh.talk import talk

    watcher.step("booting a guest and saving it: what follows is restored from that")
    booted = start_guest(connection, spec)
    try:
        return save_guest(booted, talk=talk)
    finally:
        booted.destroy()


def restored_doubts(baseline: PlannedArm, treatments: Sequence[PlannedArm]) -> Iterator[Raised]:
    """Yield what is not known of arms whose visits share one boot, and of arms that do not start alike."""
    arms = (baseline, *treatments)
    once = tuple(arm.label for arm in arms if arm.restored)
    if not once:
        return
    yield raised("one-boot", restored=once)
    booted = tuple(arm.label for arm in arms if arm.boots)
    if booted:
        yield raised("boots-differ", booted=booted, restored=once)


def origin_of(guest: PlannedGuest) -> tuple[tuple[str, str], ...]:
    """Return what a guest starts from as levels, for a label."""
    words = [guest.release or "", f"with {' '.join(guest.packages)}" if guest.packages else ""]
    return (
        ("image", " ".join(filter(None, words)) or guest.image),
        ("start", "restored" if guest.restored else "boot"),
    )
