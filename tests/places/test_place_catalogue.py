"""Kinds of place of plug-ins: what is taken in, and what is left out with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from assay.model.plugins import Plugins
from assay.places import catalogue
from assay.places.catalogue import OWN, is_added
from tests.places.rooms import Rooms, add_rooms


def test_a_name_of_assay_or_one_that_no_scene_can_say_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Rooms().definition()
    named = {
        str(n): type("Named", (), {"name": name})() for n, name in enumerate(("guest", "runc", "Room", "9p"))
    }
    found: Plugins[Any] = Plugins({"room": kind, **named}, ("plug-in 'x': broken",))
    monkeypatch.setattr(catalogue.plugins, "load", lambda *_: found)
    added = catalogue._added()
    assert added.values == {"room": kind}
    assert added.faults == (
        "plug-in 'x': broken",
        "plug-in: place 'guest': assay has a platform of that name",
        "plug-in: place 'runc': assay has a platform of that name",
        "plug-in: place 'Room': expected lower-case letters, digits and hyphens",
        "plug-in: place '9p': expected lower-case letters, digits and hyphens",
    )


def test_a_word_of_assay_is_none_of_a_plug_in_and_looks_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rooms(monkeypatch, Rooms())
    assert is_added("room")
    assert not any(map(is_added, (*OWN, "hall", None, ["room"])))
