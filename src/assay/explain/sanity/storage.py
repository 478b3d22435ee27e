"""Doubts about input and output: a throttle instead of a disk, and memory instead of a disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.explain.sanity.runs import Pair, Runs, Sampled, Spread
from assay.model.doubt import Raised, raised

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FLAT = 0.02
"""A disk's rate varies by more than this from second to second; a throttle's does not."""
FEWEST_STEPS = 8
"""Rates below which "constant" says nothing."""
MOST_OF_RUN = 0.8
"""Of the steps in which anything was written."""
ROUND = (10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100)
"""Leading figures of limits that people set, in MB/s and in MiB/s."""
LARGE_BYTES = 64 << 20
"""Below this a job may well read nothing but what its program's start left in memory."""
SERVED = 0.02
"""Of what was asked of the kernel may come from storage and still be called served from memory."""


def flat_write_rate(pair: Pair) -> Iterator[Raised]:
    """Doubt a write rate that stands at a round figure over most of a run: that is a limit, not a disk.

    Limits: what is counted is what was sent to storage (/proc/PID/io, write_bytes); for buffered writes that
        is what was made dirty, whose rate the kernel's own throttle can hold steady too.
    """
    for runs in pair.arms:
        limits = [limit for sampled in runs.series() if (limit := _limit(sampled)) is not None]
        slowest = runs.watched(lambda sampled: _of(_limit(sampled)), worst=min)
        if slowest is not None and 2 * len(limits) > len(runs.trials):
            yield raised(
                "flat-write-rate",
                workload=pair.workload.name,
                arm=runs.label,
                rate=slowest,
                within=FLAT,
                flat=len(limits),
                trials=len(runs.trials),
                close_to=tuple(text for text, _ in Counter(text for _, text in limits).most_common()),
                planned=_planned(runs),
            )


def flat_rate(seconds: Numbers, totals: Numbers) -> float | None:
    """Return the rate at which a total grew, bytes/s, where it was constant over most of its growth.

    Args:
        seconds: Time of each sample, s, ascending.
        totals: The total then; NaN is "not measured".

    Returns:
        The median rate; ``None`` for too few steps, or where fewer than four fifths lie within 2 % of it.
    """
    import numpy as np

    known = ~np.isnan(totals)
    grown, passed = np.diff(totals[known]), np.diff(seconds[known])
    rates = grown[(grown > 0) & (passed > 0)] / passed[(grown > 0) & (passed > 0)]
    # the first and the last step hold the start and the end of the writing
    rates = rates[1:-1]
    if len(rates) < FEWEST_STEPS:
        return None
    middle = float(np.median(rates))
    flat = np.abs(rates / middle - 1) <= FLAT
    return middle if float(flat.mean()) >= MOST_OF_RUN else None


def round_limit(rate: float) -> str | None:
    """Return the round figure that a rate in bytes/s is within 2 % of, ``100 MB/s``; ``None`` for others."""
    for unit, size in (("MB/s", 1e6), ("MiB/s", float(1 << 20))):
        for power in (0.1, 1, 10, 100):
            for figure in ROUND:
                if abs(rate / (figure * power * size) - 1) <= FLAT:
                    return f"{figure * power:g} {unit}"
    return None


def cached_reads(pair: Pair) -> Iterator[Raised]:
    """Doubt reads that storage never saw: where a disk is claimed, or where only one arm was served so."""
    served = [_served(runs) for runs in pair.arms]
    if claims_disk(pair):
        yield from (_from_memory(pair, runs) for runs, it in zip(pair.arms, served, strict=True) if it)
    elif served in ([True, False], [False, True]):
        cached, cold = pair.arms if served[0] else (pair.treatment, pair.baseline)
        asked = cached.usage(lambda usage: usage.logical_read_bytes) or 0
        yield raised(
            "cached-reads",
            case="one-arm",
            workload=pair.workload.name,
            cold=cold.label,
            fetched_bytes=_fetched(cold, worst=max),
            cached=cached.label,
            asked_bytes=asked,
        )


def claims_disk(pair: Pair) -> bool:
    """Return whether a workload's reads are meant to come from storage."""
    wanted = pair.workload.cache
    if wanted is not None:
        return wanted.state.starts_cold
    from assay.workloads import measured_by  # all tools: to word a doubt takes none

    found = measured_by(pair.workload.parser)
    return found is not None and found.disk is not None


def _planned(runs: Runs) -> tuple[int, ...]:
    """Return the limits of writes that the trials themselves were given, bytes/s."""
    limits = {trial.limits.write_bytes_per_s for trial in runs.trials}
    return tuple(limit for limit in limits if limit)


def _limit(sampled: Sampled) -> tuple[float, str] | None:
    rate = sampled.write_rate
    text = round_limit(rate) if rate else None
    return (rate, text) if rate and text else None


def _of(limit: tuple[float, str] | None) -> float | None:
    return limit[0] if limit else None


def _served(runs: Runs) -> bool | None:
    """Tell whether memory served a job's reads; ``None`` where it read little, or nothing tells.

    Limits: what a server read for the job is not the job's, so it tells nothing of data from a server.
    """
    if any(trial.from_server for trial in runs.trials):
        return None
    asked = runs.usage(lambda usage: usage.logical_read_bytes)
    fetched = runs.usage(lambda usage: usage.read_bytes)
    if asked is None or fetched is None or max(asked, fetched) < LARGE_BYTES:
        return None
    return fetched <= SERVED * asked


def _fetched(runs: Runs, *, worst: Callable[[float, float], float]) -> Spread | None:
    """Return what an arm's trials had from storage, the median and the worst."""
    return runs.spread(lambda trial: trial.usage.read_bytes if trial.usage else None, worst=worst)


def _from_memory(pair: Pair, runs: Runs) -> Raised:
    asked = runs.usage(lambda usage: usage.logical_read_bytes) or 0
    memory = runs.trials[0].limits.memory_bytes or runs.trials[0].facts.memory_bytes
    return raised(
        "cached-reads",
        case="page-cache",
        workload=pair.workload.name,
        arm=runs.label,
        asked_bytes=asked,
        fetched_bytes=_fetched(runs, worst=min),
        memory_bytes=memory,
    )
