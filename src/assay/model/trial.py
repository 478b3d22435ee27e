"""A trial: what was planned, and what its record says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.doubt import Doubt
from assay.model.machines.clock import ClockCheck, Instant
from assay.model.machines.machine import Facts, Limits
from assay.model.metric import Measurement
from assay.model.platforms.container import Container
from assay.model.platforms.data import LOCAL
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, Platform, SeenFactor
from assay.model.platforms.plugin_place import SeenPluginPlace
from assay.model.work.disturbance import Cause, HostOver
from assay.model.work.host_watch import HostWatch
from assay.model.work.observation import Count, ProbeCost, ProfileTaken, Series
from assay.model.work.page_cache import CacheCheck
from assay.model.work.phase import PhaseTime
from assay.model.work.workload import Program

_BY_WAYS = ("data.access", "scratch.access")


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
        replicate: 0, or 1 for the second visit of the baseline, or of a machine that guests are measured
            over; the noise floor comes from it.
        workload: Name of the workload.
        level: Which of several treatments, from 0; 0 for the baseline.
    """

    index: int
    block: int
    slot: int
    arm: Arm
    replicate: int
    workload: str
    level: int = 0

    @property
    def name(self) -> str:
        """Name of its record's folder, by its number of four digits or more: ``0007-b1-treatment-fio``,
        ``0008-b1-treatment2-fio``.
        """
        again = "-again" if self.replicate else ""
        which = str(self.level + 1) if self.level else ""
        return f"{self.index:04d}-b{self.block}-{self.arm}{which}{again}-{self.workload}"


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
        logical_read_bytes: Bytes asked of the kernel; ``None`` is "not told".
        logical_write_bytes: Bytes given to the kernel; ``None`` is "not told".
        minor_faults: Page faults without storage; ``None`` in records of format 1.0, as in what follows.
        major_faults: Page faults that waited for storage.
        voluntary_switches: Context switches because there was nothing to do.
        involuntary_switches: Context switches because somebody else's turn had come.
        throttled_s: Seconds that the job stood still for its CPU quota, summed over processors; ``None`` in
            records before format 1.2 and where the kernel does not tell, as in what follows.
        memory_limit_hits: Times that the job's group ran into its memory limit.
        run_queue_s: Seconds that its threads were ready and waited for a processor, summed over threads; a
            quota's time is in it. ``None`` also where others than the probe reaped some of its processes.
        block_io_s: Seconds that its threads waited for block I/O, in the same way; only with delay
            accounting.
        io_wait_s: Seconds that the job's processors (``Limits.cpus``) had nothing to do while a thread that
            had run there waited for I/O, summed over them, in ticks of the kernel.
        steal_s: Seconds that a hypervisor took from these processors.
        idle_s: Seconds that they had nothing to do at all.
    """

    wall_s: float
    user_s: float
    system_s: float
    rss_bytes: int
    read_bytes: int | None
    write_bytes: int | None
    logical_read_bytes: int | None = None
    logical_write_bytes: int | None = None
    minor_faults: int | None = None
    major_faults: int | None = None
    voluntary_switches: int | None = None
    involuntary_switches: int | None = None
    throttled_s: float | None = None
    memory_limit_hits: int | None = None
    run_queue_s: float | None = None
    block_io_s: float | None = None
    io_wait_s: float | None = None
    steal_s: float | None = None
    idle_s: float | None = None


class CauseKind(StrEnum):
    """What kind of cause a failed job had."""

    START = "start"
    EXIT = "exit"
    SIGNAL = "signal"
    OOM_KILL = "oom-kill"
    TIME_LIMIT = "time-limit"
    STOPPED = "stopped"
    OUTPUT_LIMIT = "output-limit"
    NO_ROOM = "no-room"


class JobScope(StrEnum):
    """What the totals of a job are taken over."""

    CGROUP_V1 = "cgroup-v1"
    CGROUP_V2 = "cgroup-v2"
    TREE = "tree"


@dataclass(frozen=True)
class CopyUsage:
    """One copy of a job, on the clock of the machine where it ran; ``None`` where it did not come so far.

    Attributes:
        copy: Its number from 0.
        cpus: Its processors, read back.
        memory_nodes: Memory nodes that it was bound to; empty is "any".
        started: Its release.
        ended: The end of its first process.
        exit_code: As a shell gives it.
        signal: Number of the signal that ended it.
        wall_s: From its release to its end.
        user_s: CPU seconds of its first process and the children that it waited for, in user mode.
        system_s: The same in the kernel.
        rss_bytes: Largest resident set of one of its processes.
    """

    copy: int
    cpus: tuple[int, ...]
    memory_nodes: tuple[int, ...]
    started: Instant | None
    ended: Instant | None
    exit_code: int | None
    signal: int | None
    wall_s: float | None
    user_s: float | None
    system_s: float | None
    rss_bytes: int | None


@dataclass(frozen=True)
class LinkBytes:
    """What passed an interface of a machine over a trial, by the counters of its kernel: the job's data, and
    what else came and went.

    Attributes:
        interface: Its name; never loopback.
        received_bytes: Received, from before the release until after the last end.
        sent_bytes: Sent meanwhile.
    """

    interface: str
    received_bytes: int
    sent_bytes: int


@dataclass(frozen=True)
class Member:
    """One of several guests, or machines, that ran a trial together.

    Attributes:
        name: Folder of its files in the trial's, ``guest-0``, ``machine-0``; they are numbered from 0.
        guest: Name of its domain, or of the machine.
        boot: Identity of its boot.
        cpus: Processors of the host that its QEMU process is confined to, read back.
        memory_bytes: Its memory, read back.
        copies: Copies of the workload that it ran.
        asked_s: Release that was asked for, seconds after the trial's common moment: its number times the
            stagger.
        started_s: Release as it was, by its clock over the trial; ``None`` where it was never released.
        ended_s: End of its last copy in the same way.
        clock: Its clock over the trial; the figures of the trial are corrected by it where that is needed.
        usage: Totals of its job on its own clock; ``None`` where the job was never started.
        hypervisor_cpu: CPU of its QEMU process meanwhile.
        weight: What it held of its host at the end; ``None`` where that cannot be told.
        cache: Its page cache at the start; ``None`` where nothing was asked.
        links: Of a machine by SSH, what passed each of its interfaces; empty of guests and containers, and in
            records before format 1.10.
    """

    name: str
    guest: str
    boot: str
    cpus: tuple[int, ...]
    memory_bytes: int
    copies: int
    asked_s: float
    started_s: float | None
    ended_s: float | None
    clock: ClockCheck | None
    usage: Usage | None
    hypervisor_cpu: HypervisorCpu | None
    weight: GuestWeight | None
    cache: CacheCheck | None = None
    links: tuple[LinkBytes, ...] = ()


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
        cause_kind: What kind of cause; ``None`` where the job ended well, also if its output was no good, or
            it did not succeed by its criterion.
        scope: What the totals are taken over; ``None`` where nothing was started or it was not told.
        copies: Its copies.
        phases: Their phases; empty where none were told of.
        series: Groups of series that were asked for.
        counts: Event counters that were asked for.
        profile: The profile that was asked for; ``None`` where none was.
        cache: The page cache at its start; ``None`` where nothing was asked, and in older records.
        host: The host over the trial; ``None`` where it was not read, and in older records.
        disturbed_by: Declared causes that were found in it.
        container: The container that it ran in; ``None`` outside one.
        host_settings: Settings of its host that its visit held, each seen in force at the visit's start.
        weight: What the guest held of its host at the end; ``None`` outside one, and in older records.
        data: How its arm came by the activity's data, each as seen at the visit's start; empty without data.
        members: The guests, or machines, that ran it together; empty for one, and in older records. Then
            ``usage``, ``probe``, ``hypervisor_cpu``, ``weight`` and ``cache`` are those of all of them
            together, ``limits`` the processors of the host that guests were confined to, of machines the
            first one's, ``copies`` and ``phases`` lie on the controller's clock, ``boot``, ``facts``,
            ``platform``, ``program``, ``data`` and ``below`` are the first one's, and ``series``, ``counts``
            and ``profile`` are empty: they lie in the folders of the members.
        host_watch: How the guest's host was watched meanwhile; ``None`` outside a guest, for several, where
            it could not be (a doubt says why), and in records before format 1.3.
        below: Name of the hypervisor that the machine runs on, recognised from inside (``vmware``, ``kvm``);
            ``None`` is "none seen", and in older records.
        result_digest: What it computed, by the digest that its program told of; ``None`` where it failed or
            the workload tells of none, and in records before format 1.4.
        file_bytes: Size of the file that a user's tool of files worked on, by its output; ``None`` where none
            tells, or several sizes, and in records before format 1.5.
        plugin: The place of a plug-in that it ran in; ``None`` outside one, and in records before format 1.6.
        batch_job: The batch system and the id of the job that held its machine, ``slurm 4711``,
            ``htcondor 12.0``; ``None`` where none did, and in records before format 1.9.
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
    cause_kind: CauseKind | None = None
    scope: JobScope | None = None
    copies: tuple[CopyUsage, ...] = ()
    phases: tuple[PhaseTime, ...] = ()
    series: tuple[Series, ...] = ()
    counts: tuple[Count, ...] = ()
    profile: ProfileTaken | None = None
    cache: CacheCheck | None = None
    host: HostOver | None = None
    disturbed_by: tuple[Cause, ...] = ()
    container: Container | None = None
    host_settings: tuple[SeenFactor, ...] = ()
    weight: GuestWeight | None = None
    data: tuple[SeenFactor, ...] = ()
    members: tuple[Member, ...] = ()
    host_watch: HostWatch | None = None
    below: str | None = None
    result_digest: str | None = None
    file_bytes: int | None = None
    plugin: SeenPluginPlace | None = None
    batch_job: str | None = None

    @property
    def from_server(self) -> bool:
        """A server stood between it and its data or its files, so that their storage is not the job's."""
        return any(one.name in _BY_WAYS and one.level != LOCAL for one in self.data)
