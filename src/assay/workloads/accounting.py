"""Figures of a whole job that the kernel's accounting tells of any workload, where a scene asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.model.errors import AssayError
from assay.model.metric import Measurement, Metric
from assay.model.work.accounting import EFFICIENCY, OUTSIDE, RESIDENT, SYSTEM_SHARE, WRITE_RATE
from assay.model.work.workload import Workload

if TYPE_CHECKING:
    from assay.model.trial import Usage

MB = 1e6


def _efficiency(usage: Usage, wide: int) -> float | None:
    return 100 * (usage.user_s + usage.system_s) / (usage.wall_s * wide) if usage.wall_s > 0 else None


def _system_share(usage: Usage, _wide: int) -> float | None:
    cpu_s = usage.user_s + usage.system_s
    return 100 * usage.system_s / cpu_s if cpu_s > 0 else None


def _resident(usage: Usage, _wide: int) -> float | None:
    return usage.rss_bytes / MB


def _write_rate(usage: Usage, _wide: int) -> float | None:
    known = usage.write_bytes is not None and usage.wall_s > 0
    return (usage.write_bytes or 0) / MB / usage.wall_s if known else None


_FIGURES: Mapping[str, tuple[Metric, Callable[[Usage, int], float | None]]] = {
    "efficiency": (EFFICIENCY, _efficiency),
    "system-share": (SYSTEM_SHARE, _system_share),
    "memory": (RESIDENT, _resident),
    "write-rate": (WRITE_RATE, _write_rate),
}
ACCOUNTED = tuple(_FIGURES)
"""What a scene may ask for, in the order in which it is shown:

- ``efficiency``: CPU time over wall time and parallelism, in percent: copies times threads, no more than the
  processors;
- ``system-share``: the kernel's part of the CPU time, in percent;
- ``memory``: the largest resident set of one process, in MB of 1,000,000 B;
- ``write-rate``: bytes sent to storage a second of wall time, in MB/s.

Source: "job efficiency" and the kernel's share are those of Vamvakopoulos (2022).
"""


def with_accounting(workload: Workload, asked: Iterable[str]) -> Workload:
    """Return a workload with these figures behind its own.

    Raises:
        AssayError: it has a figure of such a name itself, or its work is done outside of the job.
    """
    wanted = {_FIGURES[word][0] for word in asked}
    added = tuple(metric for metric, _ in _FIGURES.values() if metric in wanted)
    if added and workload.program in OUTSIDE:
        msg = (
            f"cannot add {added[0].name} to {workload.name}: {workload.program} runs its container outside "
            "of the job, whose totals are those of the engine's command"
        )
        raise AssayError(msg, hint="engine: apptainer, whose containers stay in the job")
    own = {metric.name for metric in workload.metrics}
    if taken := next((metric.name for metric in added if metric.name in own), None):
        msg = f"cannot add {taken} to {workload.name}: it has a figure of that name"
        raise AssayError(msg, hint="give its own figure another name")
    return replace(workload, metrics=(*workload.metrics, *added))


def measure_accounting(workload: Workload, usage: Usage, processors: int) -> tuple[Measurement, ...]:
    """Return the figures that ``with_accounting`` added; ``None`` where the kernel does not tell.

    Args:
        workload: What ran.
        usage: Totals of the whole job.
        processors: That it could use, at least 1.
    """
    placed = workload.placement
    wide = max(1, min(placed.copies * (placed.threads or 1), processors))
    return tuple(
        Measurement(metric, tell(usage, wide))
        for metric, tell in _FIGURES.values()
        if metric in workload.metrics
    )
