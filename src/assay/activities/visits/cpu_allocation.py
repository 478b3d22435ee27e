"""Which processors and how much memory each arm may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.activity import PlannedArm
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Facts, Limits
from assay.model.units import format_bytes

MOST_CPUS = 4
"""A quick look needs no more; larger guests are for scenes of their own."""


@dataclass(frozen=True)
class Cores:
    """How a machine's processors are shared out.

    Attributes:
        measured: Where the workloads run, on both arms.
        controller: Where everything else of ours runs; on the same core where there is only one.
        shared: There is only one.
    """

    measured: tuple[int, ...]
    controller: tuple[int, ...]
    shared: bool = False

    @property
    def doubts(self) -> tuple[Raised, ...]:
        """Say so where the controller has no core of its own."""
        if not self.shared:
            return ()
        return (raised("controller-shares-cores"),)


def share_cores(facts: Facts, wanted: int | None = None) -> Cores:
    """Leave one core to the controller and give up to four to the workloads, or as many as wanted.

    A core counts once: of processors that share one (SMT siblings) only the first works, so that
    neither the controller nor another vCPU slows it down from the other side.

    Raises:
        MissingError: More are wanted than the machine has.
    """
    cores = facts.siblings or tuple((cpu,) for cpu in facts.cpus)
    if len(cores) == 1 and wanted in (None, 1):
        return Cores(cores[0][-1:], cores[0][:1], shared=True)
    most = len(cores) - 1
    count = min(most, MOST_CPUS) if wanted is None else wanted
    if count > most:
        has = (
            f"{len(cores)} cores, one is the controller's"
            if most
            else "1 core, which is the controller's too"
        )
        msg = f"cannot give a guest {count} vCPUs: {facts.hostname} has {has}"
        raise MissingError(msg, hint=f"set cpu.vcpus to at most {max(most, 1)}, or to auto")
    return Cores(tuple(core[0] for core in cores[1 : 1 + count]), cores[0])


def check_memory(facts: Facts, memory_bytes: int, what: str = "a guest") -> None:
    """Refuse a guest, or a place of another kind, that does not leave the host a quarter of its memory.

    Raises:
        MissingError: The machine has too little.
    """
    most = facts.memory_bytes * 3 // 4
    if memory_bytes > most:
        msg = (
            f"cannot give {what} {format_bytes(memory_bytes)} of memory: "
            f"{facts.hostname} has {format_bytes(facts.memory_bytes)}"
        )
        raise MissingError(msg, hint=f"ask for at most {format_bytes(most)}")


def machine_limits(here: Facts, there: Facts, cores: int) -> tuple[Limits, Limits]:
    """Return equal limits for this machine and another: as many cores, and the smaller memory of the two."""
    memory = min(here.memory_bytes, there.memory_bytes)

    def limits(facts: Facts) -> Limits:
        confined = memory if memory < facts.memory_bytes else None
        return Limits(share_cores(facts, cores).measured, confined)

    return limits(here), limits(there)


def check_names(arms: Sequence[PlannedArm]) -> None:
    """Refuse arms that tables and sentences could not tell apart.

    Raises:
        AssayError: Two have the same name.
    """
    labels = [arm.label for arm in arms]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        msg = f"cannot tell the arms apart: expected a name of its own for each arm, got '{twice}' twice"
        raise AssayError(msg, hint="choose levels that differ in their first four digits")
