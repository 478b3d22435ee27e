"""Levels of factors that a scene asks for: refused before anything runs, or shared out between guest and
host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.factors.base.evidence import Host
from assay.factors.base.levels import spell_bytes
from assay.factors.base.number_lists import spell_numbers
from assay.factors.base.places import is_device
from assay.factors.catalogue import FACTORS, LevelCheck, refused
from assay.factors.cpu.pin_sets import cpus_named
from assay.factors.host.huge_pages import small_pool
from assay.model.activity import PlannedGuest
from assay.model.errors import MissingError
from assay.model.platforms.platform import SeenFactor
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.placed import require_place
from assay.platforms.filesystems.room import DiskNeeds, free_memory_taken, require_room, several
from assay.platforms.guests.spec import HOST_FILESYSTEM, PLACE
from assay.platforms.images.card_driver import card_words
from assay.platforms.images.recipe import DISK_BYTES, has_full_kernel
from assay.platforms.images.root_disk import root_words
from assay.scenes import Guest

Levels = tuple[tuple[str, str], ...]
PAGES = "memory.hugepages"
SHOWN_WORDS = 2
"""Of a list that is cut in a label."""
_LIST = re.compile(r"(?<![^\s,])[^\s,]+(?:,[^\s,]+){3,}")
"""A level of four or more words."""


def check_guest(wanted: Guest, vcpus: int, *, on: Host, cpus: Sequence[int] = ()) -> None:
    """Refuse a guest whose levels cannot be had on this host, alone or together.

    Args:
        wanted: The guest.
        vcpus: How many it gets.
        on: Its host.
        cpus: Processors of the host that the arm may use; empty is "all".

    Raises:
        MissingError: The first of them, with the reason, and how many more there are.
    """
    # not by the factor's levels: a scene may ask for any size, the tuner for multiples of its step
    memory = spell_bytes(wanted.memory_bytes)
    own = {"cpu.vcpus": str(vcpus), "memory.size": memory, "disk.cache": wanted.disk_cache}
    levels = own | dict(wanted.settings)
    check_levels(levels, on=on)
    _check_pins(levels.get("cpu.vcpupin", "none"), cpus or on.cpus)


def check_pool(wanted: Guest, *, on: Host) -> None:
    """Refuse guests that share a pool of huge pages which does not hold the memory of all of them; each alone
    is looked at by ``check_guest``.

    Raises:
        MissingError: It is too small, with what to type.
    """
    level = dict(wanted.settings).get(PAGES, "none")
    if level != "none" and (why := small_pool(on, level, wanted.memory_bytes)):
        msg = f"cannot use {PAGES}={level} for {wanted.layout.guests} guests together: {why}"
        raise MissingError(msg, hint=f"assay factors show {PAGES}")


def _check_pins(level: str, cpus: Sequence[int]) -> None:
    """Refuse pins beyond the processors that the arms share: the guest would have others than its
    baseline.
    """
    if outside := sorted(set(cpus_named(level)) - set(cpus)):
        msg = (
            f"cannot use cpu.vcpupin={level}: processor {outside[0]} is none of the guest's, "
            f"which has {spell_numbers(cpus)}"
        )
        raise MissingError(msg, hint="assay factors show cpu.vcpupin")


def check_disk(wanted: Guest, *, home: Path) -> None:
    """Refuse a disk that a guest of ours cannot boot from, or that its host has no room for.

    Raises:
        MissingError: there is no room for it; both figures are in the message.
        PlatformError: the guest's kernel has no driver for it, or for its network card.
    """
    check_drivers(wanted)
    needs, guests = disk_needs(wanted), wanted.layout.guests
    places = dict(wanted.settings).get(PLACE, "").split()
    for at, place in enumerate(places):
        require_place(place)
        require_room(several(needs, len(range(at, guests, len(places)))), home / "guests", at=place)
    if guests > 1 and sum(map(is_device, places)) and guests > len(places):
        msg = f"cannot give {guests} guests {len(places)} places: a device is of one guest alone"
        raise MissingError(msg, hint="disk.place: as many devices as guests, or mount points")
    if not places:
        require_room(several(needs, guests), home / "guests")


def check_drivers(wanted: Guest) -> None:
    """Refuse a disk and a network card for which the guest's kernel has no driver; what a user's image has is
    not known.

    Raises:
        PlatformError: It has none.
    """
    levels = dict(wanted.settings)
    full = wanted.image is not None or has_full_kernel(wanted.packages)
    root_words(levels.get("disk.bus", "virtio"), full=full)
    card_words(levels.get("net.model", "virtio"), full=full)


def disk_needs(wanted: Guest | PlannedGuest, size_bytes: int = DISK_BYTES) -> DiskNeeds:
    """Return what the disk of each guest needs by its levels; ``size_bytes`` is the disk's size."""
    levels = dict(wanted.settings)
    return DiskNeeds(
        levels.get("disk.preallocation", "off"),
        size_bytes,
        depth=int(levels.get("disk.backing", "0")),
        host_filesystem=levels.get(HOST_FILESYSTEM),
        memory_bytes=free_memory_taken(wanted.memory_bytes, levels),
    )


def check_levels(levels: dict[str, str], *, on: Host) -> None:
    """Refuse levels that cannot be had on this host; raises as ``check_guest``."""
    refusals = refused(levels, on)
    if not refusals:
        return
    first, *more = refusals
    rest = f" (and {len(more)} more)" if more else ""
    msg = f"cannot use {first.name}={levels[first.name]}: {first.reason}{rest}"
    raise MissingError(msg, hint=f"assay factors show {first.name}")


def seen_in_force(checks: Iterable[LevelCheck]) -> tuple[SeenFactor, ...]:
    """Return levels that were looked at, all of them as wanted.

    Raises:
        PlatformError: One is not in force.
    """
    seen = tuple(checks)
    if wrong := next((one for one in seen if not one.ok), None):
        msg = f"cannot measure with {wrong.name}={wrong.wanted}: it is {wrong.actual}, by {wrong.how}"
        raise PlatformError(msg, hint=f"assay factors show {wrong.name}")
    return tuple(SeenFactor(one.name, one.actual, one.how) for one in seen)


def of_guest(levels: Levels) -> Levels:
    """Return the levels that a guest is made with."""
    return tuple(
        (name, level) for name, level in levels if not (FACTORS[name].of_host or FACTORS[name].of_data)
    )


def of_host(levels: Levels) -> Levels:
    """Return the levels that its host has while it runs."""
    return tuple((name, level) for name, level in levels if FACTORS[name].of_host)


def of_data(levels: Levels) -> Levels:
    """Return the levels of how an arm comes by the activity's data."""
    return tuple((name, level) for name, level in levels if FACTORS[name].of_data)


def difference(levels: Levels, others: Levels) -> str:
    """Return in what levels differ from others, for a label; empty for nothing.

    Levels that the others lack come first, then what only the others set: ``disk.io native, without disk.bus
    scsi``.
    """
    names = {name for name, _ in levels}
    own = (f"{name} {level}" for name, level in levels if (name, level) not in others)
    theirs = (f"without {name} {level}" for name, level in others if name not in names)
    return ", ".join((*own, *theirs))


def shortened(labels: Sequence[str]) -> list[str]:
    """Return labels with their long lists cut: ``cpu.feature abm=disable,aes=disable and 13 more``.

    Where two would then be the same, all stay as they are. The record holds every level whole.
    """
    short = [_LIST.sub(_cut, label) for label in labels]
    return short if len(set(short)) == len(set(labels)) else list(labels)


def _cut(match: re.Match[str]) -> str:
    words = match[0].split(",")
    return ",".join(words[:SHOWN_WORDS]) + f" and {len(words) - SHOWN_WORDS} more"
