"""What a scene may change of a ready workload."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """Given values; ``None`` leaves the workload's own.

    Attributes:
        runtime_s: Seconds that a timed tool measures, whole seconds from 1 (``sysbench`` and ``iperf3``
            take no fractions); for fio the time of each of its three jobs.
        size_bytes: Size of fio's file, at least ``SMALLEST_FILE_BYTES``.
        events: Events of a job that counts them, at least 0.
    """

    runtime_s: int | None = None
    size_bytes: int | None = None
    events: int | None = None
