"""Treatments of several sizes over one baseline: what all of them have is what the smallest has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.model.activity import PlannedArm
from assay.model.doubt import Raised, raised
from assay.model.machines.machine import Limits
from assay.model.work.workload import Workload
from assay.workloads import Sizes


def least_limits(arms: Sequence[PlannedArm]) -> Limits:
    """Return the processors of the smallest side, and the smallest memory; ``None`` where no side has a
    limit.

    The processors of every side are the first of those that may be measured on, so that the smallest's are
    the others', too.
    """
    cpus = min((arm.limits.cpus for arm in arms), key=len)
    memory = (arm.limits.memory_bytes for arm in arms)
    return Limits(cpus, min((size for size in memory if size is not None), default=None))


def least_sizes(sizes: Sizes, least: Limits) -> Sizes:
    """Return what workloads are sized for where the smallest of several arms has ``least``."""
    memory = min(sizes.memory_bytes, least.memory_bytes or sizes.memory_bytes)
    return replace(sizes, cpus=min(sizes.cpus, len(least.cpus)), memory_bytes=memory)


def with_threads(workloads: Iterable[Workload], arms: Sequence[PlannedArm]) -> tuple[Workload, ...]:
    """Return workloads with as many threads on every side as the smallest has processors.

    Where all have as many, or a scene names the threads itself, nothing changes.
    """
    counts = {len(arm.limits.cpus) for arm in arms}
    if len(counts) < 2:
        return tuple(workloads)
    return tuple(_threads(workload, min(counts)) for workload in workloads)


def _threads(workload: Workload, cpus: int) -> Workload:
    wanted = workload.placement
    threads = wanted.threads or max(1, cpus // wanted.copies)
    return replace(workload, placement=replace(wanted, threads=threads))


def size_doubts(treatments: Sequence[PlannedArm], baseline: PlannedArm) -> Iterator[Raised]:
    """Say so where treatments are of several sizes: a larger one has room that the work does not use."""
    if len({(len(arm.limits.cpus), arm.limits.memory_bytes) for arm in treatments}) < 2:
        return
    least = least_limits(treatments)
    yield raised(
        "larger-than-its-work",
        processors=len(least.cpus),
        memory_bytes=least.memory_bytes,
        host=None if baseline.guest else baseline.label,
    )
