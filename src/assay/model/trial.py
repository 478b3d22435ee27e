"""A trial: what was planned, and what its record says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.clock import ClockCheck
from assay.model.doubt import Doubt
from assay.model.machine import Facts, Limits
from assay.model.metric import Measurement
from assay.model.page_cache import CacheCheck
from assay.model.platform import HypervisorCpu, Platform
from assay.model.workload import Program


class Arm(StrEnum):
    """Which side of the comparison a trial belongs to."""

    BASELINE = "baseline"
    TREATMENT = "treatment"


class State(StrEnum):
    """Life of a planned trial; only ``ENDED`` has values, and nothing leaves ``ENDED`` or ``FAILED``."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"


@dataclass(frozen=True)
class PlannedTrial:
    """One run of one workload on one arm in one block.

    Attributes:
        index: Position in the plan from 0; the order in which trials run.
        block: Block from 0.
        slot: Position of its arm inside the block from 0; trials of a slot share a boot.
        arm: Side of the comparison.
        replicate: 0, or 1 for the baseline's second visit, from which the noise floor comes.
        workload: Name of the workload.
    """

    index: int
    block: int
    slot: int
    arm: Arm
    replicate: int
    workload: str

    @property
    def name(self) -> str:
        """Name of its record's folder, sorted by order: ``0007-b1-treatment-fio``."""
        again = "-again" if self.replicate else ""
        return f"{self.index:04d}-b{self.block}-{self.arm}{again}-{self.workload}"


@dataclass(frozen=True)
class Usage:
    """Exact totals of the job's resources, children included; from the kernel's own accounting.

    Attributes:
        wall_s: From start to end of the job, on the clock of the machine where it ran.
        user_s: CPU seconds in user mode.
        system_s: CPU seconds in the kernel.
        rss_bytes: Largest resident set of one process.
        read_bytes: Bytes fetched from storage; ``None`` where the kernel does not tell.
        write_bytes: Bytes sent to storage; ``None`` where the kernel does not tell.
    """

    wall_s: float
    user_s: float
    system_s: float
    rss_bytes: int
    read_bytes: int | None
    write_bytes: int | None


@dataclass(frozen=True)
class ProbeCost:
    """What watching cost, over the whole trial."""

    cpu_s: float
    rss_bytes: int
    samples: int
    largest_gap_s: float | None


@dataclass(frozen=True)
class Trial:
    """The record of a trial, written once (``contracts/record-v1.schema.json``).

    Attributes:
        activity: Identity of its activity.
        planned: Its place in the plan.
        machine: Name of the machine that ran it.
        state: ``ended`` or ``failed``.
        cause: One sentence why it failed; ``None`` where it ended well.
        exit_code: As a shell would give it; ``None`` where the job was never started.
        started_ns: The controller's wall clock at the start, ns since 1970.
        ended_ns: The controller's wall clock at the end.
        command: The argument list that was run.
        boot: Identity of the boot; trials of one boot are not independent.
        measurements: Figures, corrected where ``doubts`` say so; empty for a failed trial.
        usage: Resource totals; ``None`` where the job was never started.
        probe: Cost of the probe itself.
        clock: The machine's clock over the trial; ``None`` for this machine itself.
        doubts: Reasons to doubt it.
        facts: The machine it ran on.
        limits: What it was confined to.
        program: Executable and libraries by digest; for the probe's own kernels, the probe.
        platform: The guest; ``None`` outside one.
        hypervisor_cpu: CPU of the QEMU process meanwhile; ``None`` outside a guest.
        cache: The page cache at its start; ``None`` where nothing was asked, and in older records.
    """

    activity: str
    planned: PlannedTrial
    machine: str
    state: State
    cause: str | None
    exit_code: int | None
    started_ns: int
    ended_ns: int
    command: tuple[str, ...]
    boot: str
    measurements: tuple[Measurement, ...]
    usage: Usage | None
    probe: ProbeCost | None
    clock: ClockCheck | None
    doubts: tuple[Doubt, ...]
    facts: Facts
    limits: Limits
    program: Program | None
    platform: Platform | None
    hypervisor_cpu: HypervisorCpu | None
    cache: CacheCheck | None = None
