"""A guest of a scene, or several that share its cores, with other levels of the factors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from assay.factors.catalogue import FACTORS
from assay.factors.start.starts import AT_ONCE, STAGGER, layout_with, start_levels
from assay.factors.start.starts import WORDS as START_WORDS
from assay.model.platforms.layout import Layout
from assay.scenes.values.scene import Guest

CACHE = "disk.cache"
"""The factor that every guest has a level of, beside its sizes."""

PLAIN: Mapping[str, str] = MappingProxyType(
    {CACHE: Guest().disk_cache, **start_levels(Layout(2))},
)
"""The levels where nothing is said, of factors that every guest has one of; of others it is none."""


def levels_of(guest: Guest) -> dict[str, str]:
    """Return the levels that a guest has, without those of its sizes; of several guests those of their
    starts, too.
    """
    return {CACHE: guest.disk_cache, **start_levels(guest.layout), **dict(guest.settings)}


def guest_with(guest: Guest, levels: Mapping[str, str]) -> Guest:
    """Return a guest with other levels; an empty one takes a setting away."""
    settings = {name: level for name, level in {**levels_of(guest), **levels}.items() if level}
    cache = settings.pop(CACHE, guest.disk_cache)
    starts = {name: settings.pop(name) for name in START_WORDS if name in settings}
    ordered = tuple((name, settings[name]) for name in FACTORS if name in settings)
    layout = layout_with(guest.layout, starts)
    return replace(guest, disk_cache=cache, settings=ordered, layout=layout)


def with_starts(guest: Guest, changes: Mapping[str, str]) -> dict[str, str]:
    """Return changes with both words of a stagger where either changes: neither means anything alone."""
    has = levels_of(guest_with(guest, changes))
    either = (STAGGER, AT_ONCE) if {STAGGER, AT_ONCE} & changes.keys() else ()
    return {**changes, **{name: has[name] for name in either if name in has}}


def default_guest(guest: Guest, names: Iterable[str]) -> Guest:
    """Return a guest with some factors at the catalogue's default."""
    return guest_with(guest, {name: PLAIN.get(name, "") for name in names})
