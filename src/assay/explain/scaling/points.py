"""What a scaling curve is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScalePoint:
    """One measurement of all workers together; ``None`` is "not measured".

    Attributes:
        workers: Workers at once, at least one.
        block: Block from 0.
        rate: Work per second of all workers together, above 0.
        processors: Processors that they could use.
        cpu_share: CPU time over wall time and processors, 0 to 1.
        run_queue_share: Time in which workers were ready and waited for a processor, over wall time and workers.
        system_share: The kernel's share of the CPU time, 0 to 1.
        disk_bytes_per_s: Bytes to and from storage.
        disk_busy_share: Time in which the busiest disk had a request, over wall time.
        disk_latency_s: Mean time of a request.
        memory_bytes_per_s: Bytes to and from memory, or the last-level cache's misses times the line.
        cycles_per_instruction: CPI of the workers.
    """

    workers: int
    block: int
    rate: float
    processors: int | None = None
    cpu_share: float | None = None
    run_queue_share: float | None = None
    system_share: float | None = None
    disk_bytes_per_s: float | None = None
    disk_busy_share: float | None = None
    disk_latency_s: float | None = None
    memory_bytes_per_s: float | None = None
    cycles_per_instruction: float | None = None
