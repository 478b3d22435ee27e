"""What the arms of a result were set to, as data: as seen in force while their trials ran."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.platforms.platform import SeenFactor
from assay.pages.say import say


@dataclass(frozen=True)
class ArmSettings:
    """Settings of one arm."""

    label: str = say("Label of the arm.")
    seen: tuple[SeenFactor, ...] = say("What was seen at the start of its visits, each once; at least one.")


@dataclass(frozen=True)
class HostWatched:
    """How a guest's host was watched meanwhile."""

    cpus: tuple[int, ...] = say("Host cores that its probe ran on.")
    interval_s: float = say("Time between two samples.")
    most_share: float | None = say("What it took at most, a fraction of one core; null where not known.")
