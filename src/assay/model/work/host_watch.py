"""A guest's host, watched over a trial by a probe of its own."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.work.observation import ProbeCost, Series

GROUPS = ("guests", "vmstat", "disks", "pressure")
"""Groups of series that tell of a guest from its host (``docs/series.md``)."""


@dataclass(frozen=True)
class HostWatch:
    """How the host of a guest was watched over a trial; its files lie in ``host/`` of the record.

    Its moments are those of the controller's monotonic clock, which is the host's.

    Attributes:
        interval_s: Time between samples.
        pid: The guest's QEMU process: of all guests only its rows are kept.
        cpus: Processors that the watching probe was confined to.
        series: Groups of series that were asked for.
        cost: What watching cost the host, beside what the probe in the guest cost.
    """

    interval_s: float
    pid: int
    cpus: tuple[int, ...]
    series: tuple[Series, ...]
    cost: ProbeCost | None
