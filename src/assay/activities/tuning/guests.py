"""A guest of a scene with other levels of its factors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from assay.factors.catalogue import FACTORS
from assay.scenes.values.scene import Guest

CACHE = "disk.cache"
"""The factor that every guest has a level of, beside its sizes."""

PLAIN_CACHE = Guest().disk_cache
"""Its level where nothing is said."""


def levels_of(guest: Guest) -> dict[str, str]:
    """Return the levels that a guest has, without those of its sizes."""
    return {CACHE: guest.disk_cache, **dict(guest.settings)}


def guest_with(guest: Guest, levels: Mapping[str, str]) -> Guest:
    """Return a guest with other levels; an empty one takes a setting away."""
    settings = {name: level for name, level in {**levels_of(guest), **levels}.items() if level}
    cache = settings.pop(CACHE, guest.disk_cache)
    ordered = tuple((name, settings[name]) for name in FACTORS if name in settings)
    return replace(guest, disk_cache=cache, settings=ordered)


def default_guest(guest: Guest, names: Iterable[str]) -> Guest:
    """Return a guest with some factors at the catalogue's default."""
    return guest_with(guest, {name: PLAIN_CACHE if name == CACHE else "" for name in names})
