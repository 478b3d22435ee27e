"""The kinds of place of plug-ins by name."""

from __future__ import annotations

import re

from assay.model import plugins
from assay.model.platforms.container import Runtime
from assay.places.definition import PlaceDefinition

OWN = ("guest", *map(str, Runtime))
"""The platforms of assay itself, in the order shown."""
BROUGHT_BY = {"openstack": "assay-openstack"}
"""By the platform: the package of this repository that brings it."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")


def _added() -> plugins.Plugins[PlaceDefinition]:
    found = plugins.load(plugins.PLACES, PlaceDefinition)
    named = {one.name: one for one in found.values.values()}
    faults = list(found.faults)
    for name in [*named]:
        if name in OWN or not _NAME.fullmatch(name):
            del named[name]
            why = (
                "assay has a platform of that name"
                if name in OWN
                else "expected lower-case letters, digits and hyphens"
            )
            faults.append(f"plug-in: place '{name}': {why}")
    return plugins.Plugins(named, tuple(faults))


_HERE: tuple[PlaceDefinition, ...] = ()
"""Kinds of the package itself that are no more than a definition."""

PLACES: plugins.Catalogue[PlaceDefinition] = plugins.Catalogue(
    "platform", {one.name: one for one in _HERE}, _added, hint="assay factors list"
)
"""Every kind of place that is a definition, mostly of plug-ins."""


def is_added(platform: object) -> bool:
    """Tell whether a platform's word is that of a plug-in; plug-ins are looked for where it is none of
    assay's.
    """
    return isinstance(platform, str) and platform not in OWN and platform in PLACES
