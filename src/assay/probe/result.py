"""The result of a job: ``probe.json`` as values."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.doubt import Doubt
from assay.model.files.json_text import parse_json
from assay.model.machines.clock import Instant
from assay.model.machines.machine import Limits
from assay.model.trial import CauseKind, CopyUsage, JobScope, State, Usage
from assay.model.work.observation import Count, ProbeCost, ProfileTaken, Series
from assay.model.work.page_cache import CacheState, ReadAhead, Residency
from assay.model.work.phase import PhaseTime
from assay.probe.decode import decode
from assay.probe.errors import ResultError
from assay.probe.spec import PROTOCOL, Spec


@dataclass(frozen=True)
class AppliedLimits(Limits):
    """The limits that were in force, read back; ``by`` says what enforced them.

    Attributes:
        by: ``cgroup-v1``, ``cgroup-v2``, ``affinity`` or ``none``.
    """

    by: str = "none"


@dataclass(frozen=True)
class MachineCpu:
    """CPU seconds of the whole machine over the run, all processors together; ``None`` is "not told"."""

    user_s: float | None
    system_s: float | None
    iowait_s: float | None
    steal_s: float | None
    idle_s: float | None


@dataclass(frozen=True)
class CacheResidency(Residency):
    """What was found of the files that were to be cold or warm, right before the release, and what
    then read them ahead.
    """

    state: CacheState
    drop_all: bool
    ahead: ReadAhead | None = None


@dataclass(frozen=True)
class Over:
    """A stream that held more than it may: its file, cut off there, and the most bytes that it was seen to
    hold.
    """

    stream: str
    bytes: int


@dataclass(frozen=True)
class Output:
    """What each stream might hold, in bytes, and those that held more."""

    limit_bytes: int
    over: tuple[Over, ...]


@dataclass(frozen=True)
class Room:
    """Room on the disk of a job's folder, in bytes: what is kept free, and the least that was seen.

    ``None`` where nothing was started, it was not looked at, or the file system does not tell.
    """

    keep_free_bytes: int
    least_free_bytes: int | None


@dataclass(frozen=True)
class RunResult:
    """What the probe wrote at the end of a job.

    Attributes:
        protocol: Version that it was written in.
        probe_version: Version of the probe.
        spec: What it was asked to run.
        state: ``ended`` or ``failed``.
        cause: One sentence why it failed; ``None`` where it ended well.
        exit_code: As a shell gives it; ``None`` where the job was never started.
        signal: Number of the signal that ended it.
        oom_killed: The kernel killed it for its memory limit; ``None`` where that is not told.
        timed_out: It was stopped at its time limit.
        started: When the first copy was let go.
        ended: When the main process of the last copy was reaped.
        usage: Resource totals; ``None`` where the job was never started.
        cost: The probe's own cost.
        limits: What was in force.
        machine: The whole machine meanwhile.
        leftover_processes: Processes of the job that outlived its main one and were killed.
        doubts: Reasons to doubt it.
        cause_kind: What kind of cause; ``None`` where it ended well, and before protocol 1.1.
        scope: What the totals are taken over; ``None`` where nothing was started, and before protocol 1.1.
        copies: Its copies; empty where nothing was started, and before protocol 1.1.
        phases: Phases of all copies; empty where none were told of.
        series: Groups of series that were asked for.
        counters: Event counters that were asked for.
        profile: The profile that was asked for; ``None`` where none was.
        cache: The page cache before the release; ``None`` where nothing was asked, and before protocol 1.1.
        output: Its streams; ``None`` before protocol 1.4.
        room: The disk of its folder; ``None`` before protocol 1.4.
    """

    protocol: tuple[int, int]
    probe_version: str
    spec: Spec
    state: State
    cause: str | None
    exit_code: int | None
    signal: int | None
    oom_killed: bool | None
    timed_out: bool
    started: Instant
    ended: Instant
    usage: Usage | None
    cost: ProbeCost | None
    limits: AppliedLimits
    machine: MachineCpu
    leftover_processes: int
    doubts: tuple[Doubt, ...]
    cause_kind: CauseKind | None = None
    scope: JobScope | None = None
    copies: tuple[CopyUsage, ...] = ()
    phases: tuple[PhaseTime, ...] = ()
    series: tuple[Series, ...] = ()
    counters: tuple[Count, ...] = ()
    profile: ProfileTaken | None = None
    cache: CacheResidency | None = None
    output: Output | None = None
    room: Room | None = None

    @property
    def command(self) -> tuple[str, ...]:
        """The argument list that was run."""
        return self.spec.command

    @property
    def steal_s(self) -> float | None:
        """CPU seconds that the hypervisor took from the machine over the run."""
        return self.machine.steal_s


def parse_result(data: bytes, *, origin: str) -> RunResult:
    """Read a ``probe.json``; fields that a newer minor version added are left out.

    Args:
        data: Its content.
        origin: Where it comes from, for messages.

    Raises:
        ResultError: It is damaged, or of a newer major version.
    """
    what = f"the probe's result {origin}"
    _check_major(data, what)
    result = decode(RunResult, data, what=what, error=ResultError)
    if result.state not in (State.ENDED, State.FAILED):
        msg = f"cannot read {what}: state: expected ended or failed, got '{result.state}'"
        raise ResultError(msg)
    return result


def _check_major(data: bytes, what: str) -> None:
    try:
        major, _minor = parse_json(data)["protocol"]
    except (ValueError, TypeError, KeyError) as error:
        msg = f"cannot read {what}: it is damaged ({len(data)} bytes without a protocol version)"
        raise ResultError(msg) from error
    if not isinstance(major, int) or major != PROTOCOL[0]:
        msg = f"cannot read {what}: expected protocol {PROTOCOL[0]}, got {major}"
        raise ResultError(msg, hint="read it with the version of assay that wrote it, or a newer one")
