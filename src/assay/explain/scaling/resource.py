"""What a scaling curve runs into, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Resource(StrEnum):
    """What a scaling curve runs into."""

    CPU = "cpu"
    LOCKS = "lock contention"
    MEMORY = "memory bandwidth"
    DISK_THROUGHPUT = "disk throughput"
    DISK_LATENCY = "disk latency"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Saturation:
    """The resource that saturates, with the figures that say so.

    Attributes:
        resource: Which one; ``none`` where the curve did not leave the line.
        sentence: One full sentence with the figures.
        next: What to do or to watch next.
    """

    resource: Resource
    sentence: str
    next: str | None = None
