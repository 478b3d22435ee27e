"""Doubts about what held a job back from outside: swap, heat, a CPU quota."""

from __future__ import annotations

from collections.abc import Iterator

from assay.explain.sanity.runs import Pair, Runs
from assay.model.doubt import Doubt
from assay.model.units import format_bytes

LEAST_SWAP_BYTES = 1 << 20
"""Less is the kernel tidying up."""
LEAST_SWAPPED_PAGES = 256
"""The same in pages of 4 KiB, of the whole machine."""
LEAST_HEAT_SHARE = 0.001
"""Of a job's wall time, on one processor."""
LEAST_THROTTLED = 0.01
"""Of a job's wall time times its processors."""


def swap(pair: Pair) -> Iterator[Doubt]:
    """Doubt trials in which memory went to swap or came from it."""
    for runs in pair.arms:
        held, moved = runs.watched(lambda s: s.swap_bytes), runs.watched(lambda s: s.swapped_pages)
        reported = []
        if held is not None and held.worst >= LEAST_SWAP_BYTES:
            reported.append(f"{held.extreme(lambda size: format_bytes(round(size)))} of the job was in swap")
        if moved is not None and moved.worst >= LEAST_SWAPPED_PAGES:
            pages = moved.extreme(lambda count: f"{count:.0f} pages")
            reported.append(f"the machine moved {pages} to or from swap in one trial")
        if reported:
            sentence = f"{pair.workload.name} on {runs.label}: {' and '.join(reported)}; disk speed was measured too."
            step = (
                "Give the arm more memory (memory.size) or the workload less to hold, end what else uses memory "
                "there, or switch swap off for the measurement (swapoff -a)."
            )
            yield Doubt("swap", sentence, step)


def throttled(pair: Pair) -> Iterator[Doubt]:
    """Doubt trials whose processors were held back by heat, or stood still for a CPU quota."""
    for runs in pair.arms:
        yield from _heat(pair, runs)
        yield from _quota(pair, runs)


def _heat(pair: Pair, runs: Runs) -> Iterator[Doubt]:
    count, held = runs.watched(lambda s: s.heat_count), runs.watched(lambda s: s.heat_s)
    wall_s = runs.usage(lambda usage: usage.wall_s) or 0.0
    if count is None or not count.worst or (held and 0 < held.worst < LEAST_HEAT_SHARE * wall_s):
        return
    times = count.extreme(lambda number: f"{number:.0f} times")
    length = f", {held.extreme(_seconds)} in all" if held and held.worst else ""
    sentence = (
        f"Heat held a processor back {times}{length} in one trial of {pair.workload.name} on "
        f"{runs.label}: the clock was not the nominal one."
    )
    step = (
        "Look at fans and inlet temperature, fix the frequency below the turbo range on both arms, and watch "
        "'frequency' and 'temperature'."
    )
    yield Doubt("throttled", sentence, step)


def _quota(pair: Pair, runs: Runs) -> Iterator[Doubt]:
    stood = runs.spread(lambda trial: trial.usage.throttled_s if trial.usage else None)
    wall_s = runs.usage(lambda usage: usage.wall_s)
    if stood is None or not stood.median or not wall_s or stood.median < LEAST_THROTTLED * wall_s:
        return
    quotas = {trial.limits.cpu_quota for trial in runs.trials if trial.limits.cpu_quota}
    known = f" of {', '.join(f'{quota:.0%}' for quota in sorted(quotas))}" if quotas else ""
    sentence = (
        f"{pair.workload.name} on {runs.label} stood still for {stood.usual(_seconds)} of {wall_s:.3g} s, summed over "
        f"processors, because its CPU quota{known} was used up."
    )
    step = (
        "If the quota is not what is to be measured, raise it (limits of the scene, cpu.max of the group, "
        "<cputune> of the domain) and compare again."
    )
    yield Doubt("throttled", sentence, step)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s"
