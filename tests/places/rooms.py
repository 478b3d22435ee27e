"""A kind of place as a plug-in adds one: the machine itself, called a room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from assay.factors import Whole, Words
from assay.model.plugins import Plugins
from assay.places import Given, Machine, Opened, PlaceDefinition, VisitSpec
from assay.places.catalogue import PLACES

WALLS = Words(("thin", "thick"))


@dataclass
class Rooms:
    """What is done with rooms, in order, and how they answer.

    Attributes:
        seen: Levels that are seen besides those that were asked for, or instead of them.
        fails: Act that fails.
        why: Why none can be had.
        by: Where one is reached by SSH.
    """

    acts: list[tuple[str, VisitSpec]] = field(default_factory=list)
    seen: dict[str, str | None] = field(default_factory=dict)
    fails: str = ""
    why: str | None = None
    by: Machine | None = None
    memory_bytes: int | None = None

    def definition(self, **changes: Any) -> PlaceDefinition:
        """Return their kind."""
        given: dict[str, Any] = {
            "factors": {"room.walls": WALLS, "room.doors": Whole(0, 9, (0, 1))},
            "needs": lambda _levels: self.why,
            "memory_bytes": lambda _levels: self.memory_bytes,
            **changes,
        }
        return PlaceDefinition("room", "rooms of a house", self._open, self._seen, self._remove, **given)

    def did(self) -> list[str]:
        """Return the names of the acts."""
        return [act for act, _spec in self.acts]

    def _note(self, act: str, spec: VisitSpec) -> None:
        self.acts.append((act, spec))
        if act == self.fails:
            raise RuntimeError(f"the house\nburns at {act}")

    def _open(self, spec: VisitSpec) -> Opened:
        self._note("open", spec)
        return Opened("house 3\nand more", self.by or self._enter)

    def _enter(self, argv: Sequence[str]) -> Sequence[str]:
        return ("env", "ROOM=1", *argv)

    def _seen(self, spec: VisitSpec) -> Given:
        self._note("seen", spec)
        levels = {**spec.levels, **self.seen}
        return {name: level for name, level in levels.items() if level is not None}

    def _remove(self, spec: VisitSpec) -> None:
        self._note("remove", spec)


def add_rooms(monkeypatch: pytest.MonkeyPatch, rooms: Rooms, **changes: Any) -> Rooms:
    """Add the kind as an installed plug-in does."""
    monkeypatch.setattr(PLACES, "_added", Plugins({"room": rooms.definition(**changes)}, ()))
    return rooms
