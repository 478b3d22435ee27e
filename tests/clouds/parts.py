"""Visits of instances as tests ask for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.platforms.plugin_place import PluginPlace
from assay.platforms.plugin_places import Note, place_spec

NAME = "assay-0123abcd-b0"
PLAIN = (("flavor", "m1.small"), ("image", "debian-12"))
PINNED = (("flavor", "bench.pinned"), ("image", "debian-12"))
OWN_WARNINGS = [  # of the SDK about itself
    pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning"),
    pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning"),
]


def note_of(home: Path, levels: tuple[tuple[str, str], ...] = PLAIN, cpus: tuple[int, ...] = (1,)) -> Note:
    """Return the note of a visit's place."""
    wanted = PluginPlace("openstack", levels)
    return Note(
        "0123abcd", "openstack", place_spec(wanted, name=NAME, cpus=cpus, memory_bytes=2 << 30, home=home)
    )
