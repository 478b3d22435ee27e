"""From a trial's record to what its job used, phase by phase, on the host's clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.explain.split import REST, WHOLE, Use
from assay.model.trial import Trial, Usage
from assay.model.work.phase import PhaseTime
from assay.pages.budget import Source
from assay.results.losses.figures import judge_clock
from assay.results.series.vcpu_waits import vcpu_wait_of
from assay.results.series.waits import Meters, Waits, io_source, queue_source, waits_of


@dataclass(frozen=True)
class ReportedUses:
    """What a trial tells of its time.

    Attributes:
        uses: What the job used in each phase, in seconds of the host's clock.
        io: Who told of I/O wait.
        queue: Who told of waits for a processor.
        vcpu_wait_s: Seconds in which a guest's vCPUs waited for a processor of its host; ``None`` is "not
            told".
        hidden_s: Those of them that the guest took for CPU time: they are in ``queue_s`` of the uses.
    """

    uses: tuple[Use, ...]
    io: Source
    queue: Source
    vcpu_wait_s: float | None = None
    hidden_s: float = 0.0


@dataclass(frozen=True)
class Stay:
    """A time of the job with its own accounting; on the clock of the machine where it ran.

    Attributes:
        use: Its CPU time.
        start_ns: Its begin on the machine's monotonic clock.
        end_ns: Its end.
        waits: What its threads and its processors waited for.
    """

    use: Use
    start_ns: int
    end_ns: int
    waits: Waits


def reported(trial: Trial, meters: Meters, *, parallelism: int, threads: int) -> ReportedUses | None:
    """Return what a trial's job used; ``None`` where it did not run or its clock is not trusted.

    Args:
        trial: Its record.
        meters: The series beside it.
        parallelism: Processors that the job uses at once.
        threads: Its threads as far as known: where they are more than the parallelism their waits overlap,
            with each other and with CPU time, and go no further than what that leaves.
    """
    rate = judge_clock(trial.clock).rate
    usage = trial.usage
    if rate is None or usage is None or usage.wall_s <= 0:
        return None
    vcpus = vcpu_wait_of(trial, meters.host)
    hidden = vcpus.hidden if vcpus else 0.0
    stays = [_run(_full(stay, meters), hidden) for stay in _stays(trial, usage, meters)]
    io = io_source([stay.waits for stay in stays])
    queue = queue_source([stay.waits for stay in stays], throttled=bool(usage.throttled_s))
    if threads > parallelism:
        spare = len(trial.limits.cpus or trial.facts.cpus) - parallelism
        uses = [_crowded(stay, parallelism, io=io, queue=queue, spare=max(0, spare)) for stay in stays]
    else:
        uses = _carried_back([_waiting(stay, parallelism, io=io, queue=queue) for stay in stays], parallelism)
    if usage.throttled_s:
        # the queue of a crowd whose processors' idle time is known holds nothing of a quota
        apart = threads > parallelism and all(stay.waits.idle_s is not None for stay in stays)
        held = 0.0 if apart else sum(use.queue_s for use in uses)
        uses = _throttled(uses, usage.throttled_s - held, parallelism)
    waited_s = vcpus.waited_s if vcpus else None
    hidden_s = hidden * (usage.user_s + usage.system_s) / rate
    return ReportedUses(tuple(_on_host(use, rate) for use in uses), io, queue, waited_s, hidden_s)


def _stays(trial: Trial, usage: Usage, meters: Meters) -> Iterator[Stay]:
    """Yield the phases of a serial job and what they leave of it; else the whole job."""
    start, end = _moments(trial, usage, meters)
    whole = Stay(Use(WHOLE, usage.wall_s, usage.user_s, usage.system_s), start, end, waits_of(usage))
    phases = [_phase(phase) for phase in trial.phases] if serial_phases(trial) else []
    yield from phases or [whole]
    if phases:
        yield _rest(whole, phases)


def serial_phases(trial: Trial) -> bool:
    """Tell whether a trial's phases can be told apart: one copy, the CPU time of each phase known."""
    copies = {phase.copy for phase in trial.phases}
    return len(copies) == 1 and all(p.user_s is not None and p.system_s is not None for p in trial.phases)


def _phase(phase: PhaseTime) -> Stay:
    use = Use(phase.phase, phase.wall_s, phase.user_s or 0.0, phase.system_s or 0.0)
    return Stay(use, phase.started.mono_ns, phase.ended.mono_ns, waits_of(phase))


def _rest(whole: Stay, phases: Sequence[Stay]) -> Stay:
    """Return what the phases leave of the job: its start and its end."""
    use, parts = whole.use, [phase.use for phase in phases]
    left = Use(
        REST,
        use.wall_s - sum(part.wall_s for part in parts),
        use.user_s - sum(part.user_s for part in parts),
        use.system_s - sum(part.system_s for part in parts),
    )
    return Stay(left, whole.end_ns, whole.end_ns, whole.waits.without([phase.waits for phase in phases]))


def _moments(trial: Trial, usage: Usage, meters: Meters) -> tuple[int, int]:
    """Return release and end of the job on its machine's clock; a sample was taken at the release."""
    starts = [copy.started.mono_ns for copy in trial.copies if copy.started]
    starts += [phase.started.mono_ns for phase in trial.phases]
    start = min(starts) if starts else meters.first_ns
    return start, start + round(usage.wall_s * 1e9)


def _full(stay: Stay, meters: Meters) -> Stay:
    """Fill waits that the record does not tell from the series."""
    return replace(stay, waits=stay.waits.filled(meters, stay.start_ns, stay.end_ns))


def _run(stay: Stay, hidden: float) -> Stay:
    """Return a stay whose CPU time is what its vCPUs ran for; what they waited meanwhile is steal."""
    if not hidden:
        return stay
    use, ran = stay.use, 1 - hidden
    steal_s = (stay.waits.steal_s or 0.0) + hidden * (use.user_s + use.system_s)
    run = replace(use, user_s=ran * use.user_s, system_s=ran * use.system_s)
    return replace(stay, use=run, waits=replace(stay.waits, steal_s=steal_s))


def _waiting(stay: Stay, parallelism: int, *, io: Source, queue: Source) -> Use:
    """Return a stay with its waits; what processors or the machine tell goes no further than the
    remainder.
    """
    use, waits = stay.use, stay.waits
    queued = (waits.run_queue_s or 0.0) if queue == "job" else 0.0
    stored = (waits.block_io_s or 0.0) if io == "job" else 0.0
    room = max(0.0, use.wall_s * parallelism - use.user_s - use.system_s - queued - stored)
    steal = min(room, waits.steal_s or 0.0)
    if io not in ("job", "none"):
        stored = min(room - steal, waits.io_wait_s or 0.0)
    return replace(use, io_s=stored, queue_s=queued + steal)


def _crowded(stay: Stay, parallelism: int, *, io: Source, queue: Source, spare: int) -> Use:
    """Return a stay of more threads than the parallelism, which also wait for each other: that is no part of
    the wall time.

    While its processors have nothing to run no thread waits for one: I/O wait comes first there, and waits
    for a processor have what others left of the rest. Where that time is not told, I/O wait comes first in
    all of it.

    Args:
        stay: The stay.
        parallelism: Processors that the job uses at once.
        io: Who tells of I/O wait.
        queue: Who tells of waits for a processor.
        spare: Processors beyond the parallelism: the other arm has fewer.
    """
    use, waits = stay.use, stay.waits
    room = max(0.0, use.wall_s * parallelism - use.user_s - use.system_s)
    steal = min(room, waits.steal_s or 0.0)
    stored = _io_wait_s(waits, io)
    queued = steal + ((waits.run_queue_s or 0.0) if queue == "job" else 0.0)
    if waits.idle_s is None:
        io_s = min(stored, room - steal)
        return replace(use, io_s=io_s, queue_s=min(queued, room - io_s))
    free = waits.idle_s + (waits.io_wait_s or 0.0) - spare * use.wall_s
    still = min(room, max(0.0, free))
    io_s = min(stored, still)
    busy, others = room - still, queued + stored - io_s
    share = min(1.0, busy / others) if others > 0 else 0.0
    return replace(use, io_s=io_s + share * (stored - io_s), queue_s=share * queued)


def _io_wait_s(waits: Waits, io: Source) -> float:
    if io == "none":
        return 0.0
    return (waits.block_io_s if io == "job" else waits.io_wait_s) or 0.0


def _carried_back(uses: Sequence[Use], parallelism: int) -> list[Use]:
    """Give the waits that a phase has no room for to the one before: the kernel counts a wait
    when it ends.
    """
    carried: list[Use] = []
    io_s = queue_s = 0.0
    for at, use in reversed(list(enumerate(uses))):
        full = replace(use, io_s=use.io_s + io_s, queue_s=use.queue_s + queue_s)
        kept = _fitted(full, parallelism) if at else full
        io_s, queue_s = full.io_s - kept.io_s, full.queue_s - kept.queue_s
        carried.append(kept)
    return carried[::-1]


def _throttled(uses: Sequence[Use], missing: float, parallelism: int) -> list[Use]:
    """Add the throttled time that the run queue does not hold, shared out by what is idle."""
    idle = [max(0.0, _idle(use, parallelism)) for use in uses]
    if missing <= 0 or sum(idle) <= 0:
        return list(uses)
    share = min(1.0, missing / sum(idle))
    return [replace(use, queue_s=use.queue_s + share * free) for use, free in zip(uses, idle, strict=True)]


def _fitted(use: Use, parallelism: int) -> Use:
    """Scale waits into what CPU time leaves."""
    waits = use.io_s + use.queue_s
    room = max(0.0, use.wall_s * parallelism - use.user_s - use.system_s)
    if waits <= room:
        return use
    return replace(use, io_s=use.io_s * room / waits, queue_s=use.queue_s * room / waits)


def _idle(use: Use, parallelism: int) -> float:
    return use.wall_s * parallelism - use.user_s - use.system_s - use.io_s - use.queue_s


def _on_host(use: Use, rate: float) -> Use:
    return Use(
        use.phase,
        use.wall_s / rate,
        use.user_s / rate,
        use.system_s / rate,
        use.io_s / rate,
        use.queue_s / rate,
    )
