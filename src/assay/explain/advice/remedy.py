"""What a rule of advice is: a setting, the causes that it may lift, when it is worth a trial, who says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.explain.advice.situation import Situation

When = Callable[[Situation], bool]
Level = Callable[[Situation], str]


@dataclass(frozen=True)
class Remedy:
    """A setting that may lift a cause.

    Attributes:
        factor: Name of the factor.
        level: The level to try, or what makes it of the guest.
        causes: Codes of the causes that it may lift.
        why: What it does about them, one sentence.
        source: Who says so.
        when: Whether it is worth a trial.
        part: The factor of CPU time that it may lift, where the cause is divided: ``instructions``, ``cpi``
            or ``frequency``; empty is any.
        shown_by: Figures of the budget that are larger on the treatment where it may help; where they were
            counted and are not, it is not advised. Empty where none shows it.
        counters: Counters to count where none of ``shown_by`` was.
        on_host: What its host counts of a guest where it may help (``situation.on_host``): where that was
            counted it decides in the place of ``shown_by``.
    """

    factor: str
    level: str | Level
    causes: tuple[str, ...]
    why: str
    source: str
    when: When
    part: str = ""
    shown_by: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    on_host: tuple[str, ...] = ()

    def level_for(self, situation: Situation) -> str:
        """Return the level to try in a situation."""
        return self.level if isinstance(self.level, str) else self.level(situation)


CPU = ("slower-cpu",)
KERNEL = ("kernel-time",)
BUSY = (*CPU, *KERNEL)
DISK = ("disk-throughput", "io-wait")
START = ("cold-start", "cold-cache")
WAITS = ("waiting",)
QUEUE = ("run-queue",)
EXITS = ("exits from the guest",)
TO_WAIT, FOR_IO, FOR_INTERRUPTS = "exits to wait", "exits for I/O", "exits for interrupts"
"""Exits by reason: HLT; port and memory-mapped I/O; interrupts, and the wait until one can be taken."""
REMOTE = "NUMA faults on remote memory"
TAKEN = ("stolen by a hypervisor", "vCPUs waited for a processor")
WALKS = ("dtlb-walks", "dtlb-load-misses", "faults in its second page tables")
WALK_COUNTERS = ("dtlb-load-misses", "dtlb-walks")
FAULTS = ("faults in its second page tables",)
