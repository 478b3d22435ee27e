"""Figures of a whole job that the kernel's accounting tells of any workload.

None of them is its work over time, whichever way is better: what needs a workload's rate passes them over.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.model.metric import Direction, Metric, OfCopies

EFFICIENCY = Metric("job_efficiency", "%", Direction.HIGHER, timed=False, of_copies=OfCopies.MEAN)
SYSTEM_SHARE = Metric("system_share", "%", Direction.LOWER, timed=False)
RESIDENT = Metric("resident_memory", "MB", Direction.LOWER, timed=False)
WRITE_RATE = Metric("write_rate", "MB/s", Direction.HIGHER)
"""1 MB = 1,000,000 B."""
OUTSIDE = ("podman", "docker")
"""Engines that put a container into a control group of its own: the accounting of the job is that of the
engine's command alone.
"""
METRICS = (EFFICIENCY, SYSTEM_SHARE, RESIDENT, WRITE_RATE)


def own_metrics(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """Return a workload's own metrics, without those of the accounting."""
    return tuple(metric for metric in metrics if metric not in METRICS)
