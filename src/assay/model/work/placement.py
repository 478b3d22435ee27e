"""How many copies of a program run at once, where, and when they start."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Sets = tuple[tuple[int, ...], ...]
"""Numbers of processors or memory nodes, one tuple a copy; empty is "any"."""


class Pinning(StrEnum):
    """How copies get processors of their own, where these are not listed."""

    NONE = "none"
    EACH = "each"


@dataclass(frozen=True)
class PlacementSpec:
    """A placement as a scene asks for it, on whatever arm.

    Attributes:
        copies: Copies of the command that run at once.
        threads: Threads of each copy; ``None`` leaves it to the workload.
        pinning: ``none``; ``each``: the arm's processors are cut evenly; or the processors of each copy,
            numbered from 0 among those of the arm, so that both arms mean the same by it.
        memory_nodes: Memory nodes that each copy is bound to, as the machine numbers them; empty is "any".
        nice: Of every process, -20 to 19.
        stagger_s: Time from the start of one copy to that of the next.
    """

    copies: int = 1
    threads: int | None = None
    pinning: Pinning | Sets = Pinning.NONE
    memory_nodes: Sets = ()
    nice: int = 0
    stagger_s: float = 0.0


@dataclass(frozen=True)
class Placement:
    """Where the copies of a job run on one machine.

    Attributes:
        copies: Copies of the command that run at once.
        threads: Told to each copy as ``ASSAY_THREADS``; ``None`` is not told.
        cpus: Processors of each copy; empty is "those of the job".
        memory_nodes: Memory nodes that each copy is bound to; empty is "any".
        nice: Of every process, -20 to 19.
    """

    copies: int = 1
    threads: int | None = None
    cpus: Sets = ()
    memory_nodes: Sets = ()
    nice: int = 0


@dataclass(frozen=True)
class Start:
    """When the copies of a job start.

    Attributes:
        at_mono_ns: Release of the first copy on the machine's monotonic clock; ``None`` is "at once".
        stagger_s: Time from the start of one copy to that of the next.
    """

    at_mono_ns: int | None = None
    stagger_s: float = 0.0
