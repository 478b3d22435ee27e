"""What was measured elsewhere: one run of one arm in one block."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ValueKind(StrEnum):
    """What a measured value is: a time is better lower, a rate is better higher."""

    TIME = "time"
    RATE = "rate"


@dataclass(frozen=True)
class MeasuredRun:
    """One run that was measured elsewhere.

    Attributes:
        block: Name of its block, unique within machine and session; losses are paired inside it.
        arm: What it ran on, ``host``, ``guest``.
        value: Seconds, or events or anything else a second; finite and > 0.
        session: Day or time slot; empty where the data do not tell sessions apart.
        machine: Hardware that carried it, for a guest its host; empty where the data do not tell machines.
        events: Events that it worked through, whole and >= 0; ``None`` where the data do not tell.
        place: Where it stands, for messages: ``runs.csv:7``, ``row 3``.
    """

    block: str
    arm: str
    value: float
    session: str = ""
    machine: str = ""
    events: int | None = None
    place: str = ""
