"""What a job waited for, as far as the kernel tells: its CPU quota, a processor, block I/O."""

from __future__ import annotations

from enum import StrEnum

from assay.explain.others import others_s
from assay.explain.sanity.runs import Runs, processors

LEAST_SHARE = 0.02
"""Of the wall time; less explains no low efficiency."""


class Wait(StrEnum):
    """What a job waited for."""

    QUOTA = "quota"
    PROCESSOR = "processor"
    OWN_COPIES = "own-copies"
    BLOCK_IO = "block-io"


def waits(runs: Runs) -> dict[Wait, float]:
    """Return the seconds that a job waited by what it waited for, the longest first.

    Of more copies than processors only what others had of these counts as a wait for one: copies wait for
    each other meanwhile. Where nothing tells what others had, the wait is named as one among its own copies.

    Limits: summed over threads, so that they may be more than the wall time; what does not count in the
        kernel's accounting (a lock, a pipe, a sleep) is missing.
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
    waited = zip(Wait, (stood, queued, own, disk), strict=True)
    least = LEAST_SHARE * (runs.usage(lambda usage: usage.wall_s) or 0.0)
    known = {what: seconds for what, seconds in waited if seconds and seconds >= least}
    return dict(sorted(known.items(), key=lambda one: -one[1]))


def _crowded(runs: Runs) -> bool:
    """Tell whether more copies and threads ran than there were processors."""
    placement = runs.workload.placement
    threads = placement.copies * (placement.threads or 1)
    return any(threads > processors(trial) for trial in runs.trials)
