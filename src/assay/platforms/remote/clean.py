"""What crashes left of ours on another machine, and its removal: by mark, and never a guest that holds a
record.
"""

from __future__ import annotations

from assay.platforms.errors import asking_libvirt
from assay.platforms.guests.domains import remove_domain
from assay.platforms.leftovers.clean import Leftover
from assay.platforms.remote.claims import live_there
from assay.platforms.remote.hypervisor import Hypervisor


@asking_libvirt("look for leftovers")
def leftovers_there(on: Hypervisor) -> tuple[Leftover, ...]:
    """Return what was left of guests on another machine; changes nothing. Images are kept for next time."""
    live = live_there(on.door, on.home)
    guests = {str(domain.name()): mark for domain, mark in on.ours()}
    left_guests = [
        _guest(name, mark.activity, pending=mark.pending)
        for name, mark in guests.items()
        if mark.activity not in live
    ]
    return (*left_guests, *([] if live else _folders(on, set(guests))))


@asking_libvirt("clean up")
def clean_there(on: Hypervisor) -> tuple[Leftover, ...]:
    """Remove what was left there and can be removed; returns what was removed."""
    removable = [item for item in leftovers_there(on) if item.removable]
    names = {item.name for item in removable if item.kind == "guest"}
    live = live_there(on.door, on.home)
    for domain, mark in on.ours():
        name = str(domain.name())
        # asked again: an activity may have taken it up, or marked it, since it was listed
        if name in names and not mark.pending and mark.activity not in live:
            remove_domain(domain)
            on.remove_folder(on.home / "guests" / name)
    for item in removable:
        if item.kind == "folder":
            on.remove_folder(on.home / "guests" / item.name)
    return tuple(removable)


def _guest(name: str, activity: str, *, pending: bool) -> Leftover:
    if pending:
        why = f"holds a record not yet collected; assay activity resume {activity}"
        return Leftover("guest", name, why, removable=False)
    return Leftover("guest", name, f"left by activity {activity}")


def _folders(on: Hypervisor, guests: set[str]) -> list[Leftover]:
    """Return folders of guests that are gone; only while no activity works there, which may be making one."""
    names = [name for name in on.guests_folders() if name not in guests]
    return [Leftover("folder", name, "the disk of a guest that is gone") for name in names]
