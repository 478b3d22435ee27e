"""What differs between two arms and can make the treatment the faster one, each with its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.explain.sanity.cpu import LEAST_CPU_S, efficiency_of, system_share
from assay.explain.sanity.runs import Pair, processors
from assay.model.doubt import Raised, raised

HOST_CACHED = frozenset({"writeback", "writethrough", "unsafe", "default"})
"""libvirt's cache modes with which a guest's disk goes through the host's page cache.

Source: libvirt, "Domain XML format", driver element of disks.
"""
MUCH_BYTES = 32 << 20
APART = 1.5
"""Ratio from which two totals of "the same work" are apart."""
SHARES_APART = 0.10
"""Difference of two shares of CPU time."""


def clues(pair: Pair) -> Iterator[Raised]:
    """Yield what differs, the likeliest cause first; nothing where nothing that was recorded does."""
    yield from _system(pair)
    yield from _reads(pair)
    yield from _below(pair)
    yield from _work(pair)
    yield from _limits(pair)
    yield from _clock(pair)


def _system(pair: Pair) -> Iterator[Raised]:
    here, there = (runs.typical(system_share) for runs in pair.arms)
    if here is not None and there is not None and here - there > SHARES_APART:
        worked = [runs.typical(lambda trial: efficiency_of(pair.workload, trial)) for runs in pair.arms]
        yield raised(
            "treatment-faster",
            case="kernel",
            workload=pair.workload.name,
            baseline=pair.baseline.label,
            treatment=pair.treatment.label,
            shares=(here, there),
            efficiencies=tuple(worked) if all(worked) else (),
        )


def _reads(pair: Pair) -> Iterator[Raised]:
    """Look at what came from storage; what a server read for a job is not the job's."""
    if any(trial.from_server for runs in pair.arms for trial in runs.trials):
        return
    here, there = (runs.usage(lambda usage: usage.read_bytes) for runs in pair.arms)
    if here is None or there is None or not _apart(here, there, least=MUCH_BYTES):
        return
    yield raised(
        "treatment-faster",
        case="reads",
        workload=pair.workload.name,
        baseline=pair.baseline.label,
        treatment=pair.treatment.label,
        read_bytes=(here, there),
    )


def _below(pair: Pair) -> Iterator[Raised]:
    """Look below the guest: its disk may be the host's memory."""
    platform = next((t.platform for t in pair.treatment.trials if t.platform), None)
    moved = pair.treatment.usage(lambda u: float((u.read_bytes or 0) + (u.write_bytes or 0))) or 0
    if platform is None or moved < MUCH_BYTES:
        return
    held = pair.treatment.typical(lambda t: t.cache.host.resident_bytes if t.cache and t.cache.host else None)
    if platform.disk_cache in HOST_CACHED:
        yield raised(
            "treatment-faster",
            case="host-cache",
            mode=platform.disk_cache,
            moved_bytes=moved,
            image_bytes=held,
        )


def _work(pair: Pair) -> Iterator[Raised]:
    """Look for other work: what was written, and what was computed in user mode."""
    written = [runs.usage(lambda usage: usage.logical_write_bytes) for runs in pair.arms]
    if _apart(*written, least=MUCH_BYTES):
        yield raised("treatment-faster", case="wrote", written_bytes=tuple(written))
    user = [runs.usage(lambda usage: usage.user_s) for runs in pair.arms]
    if _apart(*user, least=LEAST_CPU_S):
        yield raised("treatment-faster", case="computed", user_s=tuple(user))


def _apart(here: float | None, there: float | None, *, least: float) -> bool:
    """Tell whether the baseline did more than the treatment: by half as much again, and by ``least``."""
    return here is not None and there is not None and here > APART * there and here - there > least


def _limits(pair: Pair) -> Iterator[Raised]:
    """Look for limits that leave the treatment more than the baseline; a guest's memory is its own."""
    if not all(runs.trials for runs in pair.arms):
        return
    here, there = (runs.trials[0] for runs in pair.arms)
    both = (here, there)
    cpus = _more([processors(trial) for trial in both])
    quotas = _more([trial.limits.cpu_quota or 1.0 for trial in both])
    memories = _more([trial.limits.memory_bytes or trial.facts.memory_bytes for trial in both])
    memories = memories if there.platform is None else ()
    if cpus or quotas or memories:
        yield raised("treatment-faster", case="limits", processors=cpus, quotas=quotas, memory_bytes=memories)


def _more(limits: Sequence[float]) -> tuple[float, ...]:
    """Return the limits of both arms where the treatment has more; else nothing."""
    return tuple(limits) if limits[1] > limits[0] else ()


def _clock(pair: Pair) -> Iterator[Raised]:
    rate = pair.treatment.typical(lambda trial: trial.clock.rate if trial.clock else None)
    known = pair.treatment.typical(lambda trial: trial.clock.rate_uncertainty if trial.clock else None)
    if rate is not None and known is not None and 1 - rate > max(known, 0.001):
        yield raised("treatment-faster", case="clock", error=rate - 1)
