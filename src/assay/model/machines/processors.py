"""Which processors of a machine an arm has, and where the controller runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ALL, ALL_CORES = "all", "all-cores"
"""Every processor, and every core, that the controller leaves."""


class CoreThreads(StrEnum):
    """How many of the processors that share a core (SMT siblings) work."""

    ONE_PER_CORE = "one-per-core"
    ALL = "all"


class Controller(StrEnum):
    """Where assay itself runs while trials run."""

    OWN_CORE = "own-core"
    SHARED = "shared"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class ProcessorsSpec:
    """The processors that an arm asks for.

    Attributes:
        which: ``all``, ``all-cores``, how many, or their numbers; ``None`` is every core that the controller
            leaves.
        threads: Processors of each core; ``None`` is every one with ``all``, else one.
    """

    which: str | int | tuple[int, ...] | None = None
    threads: CoreThreads | None = None

    @property
    def listed(self) -> tuple[int, ...]:
        """Their numbers, where they are named one by one."""
        return self.which if isinstance(self.which, tuple) else ()

    @property
    def count(self) -> int | None:
        """How many there are to be; ``None`` is as many as there are."""
        return len(self.listed) or (self.which if isinstance(self.which, int) else None)

    @property
    def whole_cores(self) -> bool:
        """Whether every processor of a core works."""
        return (self.threads or (CoreThreads.ALL if self.which == ALL else None)) is CoreThreads.ALL

    @property
    def whole_machine(self) -> bool:
        """Whether no core may be kept back for the controller unless that is said."""
        return self.which in (ALL, ALL_CORES)
