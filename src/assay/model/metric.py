"""What is measured: a name, a unit, a direction; and one value of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LARGEST = 1e140
"""The largest value that is taken: its square is far from the end of doubles, 1.8e308."""


class Direction(StrEnum):
    """Which way is better: a rate is better higher, a time is better lower."""

    HIGHER = "higher"
    LOWER = "lower"


class OfCopies(StrEnum):
    """How one figure is made of those of copies that ran at once, where the direction does not tell it."""

    SUM = "sum"
    """Added, at whatever time each ran: a score by CPU time."""
    MEAN = "mean"
    """Averaged, though more is better: a rate by CPU time, a median."""
    LEAST = "least"
    """The smallest of them: what the slowest copy reached."""


@dataclass(frozen=True)
class Metric:
    """A measured quantity of a workload.

    Attributes:
        name: Unique within its workload, ``events_per_s``, ``copy``, ``seq_read``.
        unit: As it is shown, ``events/s``, ``MB/s``, ``s``.
        direction: Which way is better.
        timed: The figure rests on a clock of the machine where it was taken (a rate or a wall time).
            CPU seconds and exit codes of a guest rest on its clock too; a count does not.
        of_copies: How the figures of copies make one; ``None``: what is better higher is a rate, which is
            summed, and what is better lower a time, which is averaged.
    """

    name: str
    unit: str
    direction: Direction
    timed: bool = True
    of_copies: OfCopies | None = None


@dataclass(frozen=True)
class Measurement:
    """One value of one metric; ``None`` is "not measured", 0 is a measurement."""

    metric: Metric
    value: float | None
