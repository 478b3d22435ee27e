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
        wall_s: Wall time of the run, seconds, beside its value; ``None`` is "not told", as of what follows.
        file_bytes: Size of the file that it worked on.
        disk_rate: What the disk below it gives by itself, in the unit of the value.
        order: Its position in time among the runs of its machine: what is larger came later.
    """

    block: str
    arm: str
    value: float
    session: str = ""
    machine: str = ""
    events: int | None = None
    place: str = ""
    wall_s: float | None = None
    file_bytes: int | None = None
    disk_rate: float | None = None
    order: float | None = None
