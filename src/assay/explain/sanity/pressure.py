"""Doubts about what held a job back from outside: swap, heat, a CPU quota."""

from __future__ import annotations

from collections.abc import Iterator

from assay.explain.sanity.runs import Pair, Runs
from assay.model.doubt import Raised, raised

LEAST_SWAP_BYTES = 1 << 20
"""Less is the kernel tidying up."""
LEAST_SWAPPED_PAGES = 256
"""The same in pages of 4 KiB, of the whole machine."""
LEAST_HEAT_SHARE = 0.001
"""Of a job's wall time, on one processor."""
LEAST_THROTTLED = 0.01
"""Of a job's wall time times its processors."""


def swap(pair: Pair) -> Iterator[Raised]:
    """Doubt trials in which memory went to swap or came from it."""
    for runs in pair.arms:
        held, moved = runs.watched(lambda s: s.swap_bytes), runs.watched(lambda s: s.swapped_pages)
        held = held if held is not None and held.worst >= LEAST_SWAP_BYTES else None
        moved = moved if moved is not None and moved.worst >= LEAST_SWAPPED_PAGES else None
        if held or moved:
            yield raised(
                "swap", workload=pair.workload.name, arm=runs.label, held_bytes=held, moved_pages=moved
            )


def throttled(pair: Pair) -> Iterator[Raised]:
    """Doubt trials whose processors were held back by heat, or stood still for a CPU quota."""
    for runs in pair.arms:
        yield from _heat(pair, runs)
        yield from _quota(pair, runs)


def _heat(pair: Pair, runs: Runs) -> Iterator[Raised]:
    count, held = runs.watched(lambda s: s.heat_count), runs.watched(lambda s: s.heat_s)
    wall_s = runs.usage(lambda usage: usage.wall_s) or 0.0
    if count is None or not count.worst or (held and 0 < held.worst < LEAST_HEAT_SHARE * wall_s):
        return
    yield raised(
        "throttled",
        case="heat",
        workload=pair.workload.name,
        arm=runs.label,
        times=count,
        held_s=held if held and held.worst else None,
    )


def _quota(pair: Pair, runs: Runs) -> Iterator[Raised]:
    stood = runs.spread(lambda trial: trial.usage.throttled_s if trial.usage else None)
    wall_s = runs.usage(lambda usage: usage.wall_s)
    if stood is None or not stood.median or not wall_s or stood.median < LEAST_THROTTLED * wall_s:
        return
    quotas = {trial.limits.cpu_quota for trial in runs.trials if trial.limits.cpu_quota}
    yield raised(
        "throttled",
        case="quota",
        workload=pair.workload.name,
        arm=runs.label,
        stood_s=stood,
        wall_s=wall_s,
        quotas=tuple(sorted(quotas)),
    )
