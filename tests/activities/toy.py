"""A kind of place that is not there: what a scene would ask of it, and an arm of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.model.activity import PlannedArm


@dataclass(frozen=True)
class Toy:
    """What a scene would ask of it, and what it would be planned as."""

    name: str


@dataclass(frozen=True)
class ToyArm(PlannedArm):
    """An arm of that kind."""

    @property
    def place(self) -> Any:
        return Toy("bear")
