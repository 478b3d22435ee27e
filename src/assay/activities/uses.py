"""From a trial's record to what its job used, phase by phase, on the host's clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.activities.figures import judge_clock
from assay.activities.waits import Meters
from assay.explain.split import REST, WHOLE, Use
from assay.model.phase import PhaseTime
from assay.model.trial import Trial, Usage
from assay.report.budget import Source


@dataclass(frozen=True)
class Told:
    """What a trial tells of its time.

    Attributes:
        uses: What the job used in each phase, in seconds of the host's clock.
        io: Who told of I/O wait.
        queue: Who told of waits for a processor.
    """

    uses: tuple[Use, ...]
    io: Source
    queue: Source


@dataclass(frozen=True)
class Stay:
    """A time of the job with its own accounting; on the clock of the machine where it ran."""

    use: Use
    start_ns: int
    end_ns: int
    io_s: float | None
    queue_s: float | None


def told(trial: Trial, meters: Meters, *, lanes: int, threads: int) -> Told | None:
    """Return what a trial's job used; ``None`` where it did not run or its clock is not trusted.

    Args:
        trial: Its record.
        meters: The series beside it.
        lanes: Parallel lanes of the job.
        threads: Its threads as far as known: where they are more than lanes their waits overlap, and are
            scaled into what CPU time leaves.
    """
    rate = judge_clock(trial.clock).rate
    usage = trial.usage
    if rate is None or usage is None or usage.wall_s <= 0:
        return None
    stays = [_full(stay, meters) for stay in _stays(trial, usage, meters)]
    io: Source = _source([stay.io_s for stay in stays], meters, "machine_iowait_s")
    queue: Source = _queue_source(stays, meters, usage)
    uses = [_waiting(stay, meters, lanes, io=io, queue=queue) for stay in stays]
    if queue == "job" and usage.throttled_s is not None:
        uses = _throttled(uses, usage.throttled_s, lanes)
    if threads > lanes:
        uses = [_fitted(use, lanes) for use in uses]
    return Told(tuple(_on_host(use, rate) for use in uses), io, queue)


def _stays(trial: Trial, usage: Usage, meters: Meters) -> Iterator[Stay]:
    """Yield the phases of a serial job and what they leave of it; else the whole job."""
    start, end = _moments(trial, usage, meters)
    whole = Use(WHOLE, usage.wall_s, usage.user_s, usage.system_s)
    phases = trial.phases if serial_phases(trial) else ()
    if not phases:
        yield Stay(whole, start, end, usage.block_io_s, usage.run_queue_s)
        return
    for phase in phases:
        yield _phase(phase)
    yield _rest(whole, phases, usage)


def serial_phases(trial: Trial) -> bool:
    """Tell whether a trial's phases can be told apart: one copy, the CPU time of each phase known."""
    copies = {phase.copy for phase in trial.phases}
    return len(copies) == 1 and all(p.user_s is not None and p.system_s is not None for p in trial.phases)


def _phase(phase: PhaseTime) -> Stay:
    use = Use(phase.phase, phase.wall_s, phase.user_s or 0.0, phase.system_s or 0.0)
    return Stay(use, phase.started.mono_ns, phase.ended.mono_ns, phase.block_io_s, phase.run_queue_s)


def _rest(whole: Use, phases: Sequence[PhaseTime], usage: Usage) -> Stay:
    """Return what the phases leave of the job: its start and its end; its waits are what they leave."""
    use = Use(
        REST,
        whole.wall_s - sum(phase.wall_s for phase in phases),
        whole.user_s - sum(phase.user_s or 0.0 for phase in phases),
        whole.system_s - sum(phase.system_s or 0.0 for phase in phases),
    )
    end = phases[-1].ended.mono_ns
    io = _left(usage.block_io_s, [phase.block_io_s for phase in phases])
    return Stay(use, end, end, io, _left(usage.run_queue_s, [phase.run_queue_s for phase in phases]))


def _left(whole: float | None, parts: Sequence[float | None]) -> float | None:
    if whole is None or any(part is None for part in parts):
        return None
    return max(0.0, whole - sum(part or 0.0 for part in parts))


def _moments(trial: Trial, usage: Usage, meters: Meters) -> tuple[int, int]:
    """Return release and end of the job on its machine's clock; a sample was taken at the release."""
    starts = [copy.started.mono_ns for copy in trial.copies if copy.started]
    starts += [phase.started.mono_ns for phase in trial.phases]
    start = min(starts, default=meters.first_ns)
    return start, start + round(usage.wall_s * 1e9)


def _full(stay: Stay, meters: Meters) -> Stay:
    """Fill waits that the record does not tell from ``delay.csv``."""
    at = (stay.start_ns, stay.end_ns)
    io = meters.of_job("block_io_s", *at) if stay.io_s is None else stay.io_s
    queue = meters.of_job("run_queue_s", *at) if stay.queue_s is None else stay.queue_s
    return replace(stay, io_s=io, queue_s=queue)


def _source(waits: Sequence[float | None], meters: Meters, column: str) -> Source:
    if all(wait is not None for wait in waits):
        return "job"
    return "machine" if column in meters.machine else "none"


def _queue_source(stays: Sequence[Stay], meters: Meters, usage: Usage) -> Source:
    source = _source([stay.queue_s for stay in stays], meters, "machine_steal_s")
    return "job" if usage.throttled_s else source


def _waiting(stay: Stay, meters: Meters, lanes: int, *, io: Source, queue: Source) -> Use:
    """Return a stay with its waits; what only the machine tells goes no further than the remainder."""
    use, at = stay.use, (stay.start_ns, stay.end_ns)
    waited = (stay.queue_s or 0.0) if queue == "job" else 0.0
    stored = (stay.io_s or 0.0) if io == "job" else 0.0
    steal = meters.of_machine("machine_steal_s", *at) or 0.0
    waited += min(steal, max(0.0, _idle(use, lanes) - waited - stored))
    if io == "machine":
        stored = meters.of_machine("machine_iowait_s", *at) or 0.0
        stored = min(stored, max(0.0, _idle(use, lanes) - waited))
    return replace(use, io_s=stored, queue_s=waited)


def _throttled(uses: Sequence[Use], throttled_s: float, lanes: int) -> list[Use]:
    """Add the throttled time that the run queue does not hold, shared out by what is idle."""
    missing = throttled_s - sum(use.queue_s for use in uses)
    idle = [max(0.0, _idle(use, lanes)) for use in uses]
    if missing <= 0 or sum(idle) <= 0:
        return list(uses)
    share = min(1.0, missing / sum(idle))
    return [replace(use, queue_s=use.queue_s + share * free) for use, free in zip(uses, idle, strict=True)]


def _fitted(use: Use, lanes: int) -> Use:
    """Scale the waits of more threads than lanes into what CPU time leaves."""
    waits = use.io_s + use.queue_s
    room = max(0.0, use.wall_s * lanes - use.user_s - use.system_s)
    if waits <= room:
        return use
    return replace(use, io_s=use.io_s * room / waits, queue_s=use.queue_s * room / waits)


def _idle(use: Use, lanes: int) -> float:
    return use.wall_s * lanes - use.user_s - use.system_s - use.io_s - use.queue_s


def _on_host(use: Use, rate: float) -> Use:
    return Use(
        use.phase,
        use.wall_s / rate,
        use.user_s / rate,
        use.system_s / rate,
        use.io_s / rate,
        use.queue_s / rate,
    )
