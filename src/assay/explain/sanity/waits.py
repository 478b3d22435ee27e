"""What a job waited for, as far as the kernel tells: its CPU quota, a processor, block I/O."""

from __future__ import annotations

from collections.abc import Sequence

from assay.explain.others import others_s
from assay.explain.sanity.runs import Runs, processors

LEAST_SHARE = 0.02
"""Of the wall time; less explains no low efficiency."""
STEPS = {
    "its CPU quota": "Raise the CPU quota, or take it as what is measured.",
    "a processor": "End what else runs on these processors (see the doubt 'disturbed'), and measure again.",
    "a processor among its own copies": "Run no more copies than processors, or take it as what is measured.",
    "block I/O": "Add 'watch: [disks]' and compare throughput and latency of both arms.",
}
UNKNOWN = (
    "See what it waited for: add 'watch: [delay, pressure, disks]' and compare run-queue wait, I/O wait and throttled "
    "time of both arms."
)


def waits(runs: Runs) -> dict[str, float]:
    """Return the seconds that a job waited by what it waited for, the longest first.

    Of more copies than processors only what others had of these counts as a wait for one: copies wait for each
    other meanwhile. Where nothing tells what others had, the wait is named as one among its own copies.

    Limits: summed over threads, so that they may be more than the wall time; what does not count in the kernel's
        accounting (a lock, a pipe, a sleep) is missing.
    """
    stood = runs.usage(lambda usage: usage.throttled_s)
    queue = runs.usage(lambda usage: usage.run_queue_s)
    disk = runs.usage(lambda usage: usage.block_io_s)
    # most kernels leave a thread that a quota holds back in the run queue
    queued = None if queue is None else max(0.0, queue - (stood or 0.0))
    own = None
    if queued and _crowded(runs):
        others = runs.typical(others_s)
        queued, own = (None, queued) if others is None else (min(queued, others), None)
    found = zip(STEPS, (stood, queued, own, disk), strict=True)
    least = LEAST_SHARE * (runs.usage(lambda usage: usage.wall_s) or 0.0)
    known = {what: seconds for what, seconds in found if seconds and seconds >= least}
    return dict(sorted(known.items(), key=lambda one: -one[1]))


def _crowded(runs: Runs) -> bool:
    """Tell whether more copies and threads ran than there were processors."""
    placement = runs.workload.placement
    threads = placement.copies * (placement.threads or 1)
    return any(threads > processors(trial) for trial in runs.trials)


def waits_text(runs: Runs) -> str:
    """Return the waits of an arm: ``2.31 s for a processor, 0.4 s for block I/O``; empty where none is told."""
    return ", ".join(f"{seconds:.3g} s for {what}" for what, seconds in waits(runs).items())


def next_of(low: Sequence[Runs]) -> str:
    """Return what to do about the longest wait of the arms that waited."""
    longest = [(seconds, what) for runs in low for what, seconds in waits(runs).items()]
    return STEPS[max(longest)[1]] if longest else UNKNOWN
