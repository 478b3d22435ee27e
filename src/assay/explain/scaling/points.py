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
        cpu_share: CPU time over wall time and processors, 0 to 1; wall time is that of the event loop where
            that is told apart, in all that follows.
        run_queue_share: Time in which workers were ready and waited for a processor, over wall time and their
            threads.
        system_share: The kernel's share of the CPU time, 0 to 1.
        disk_bytes_per_s: Bytes to and from storage.
        disk_busy_share: Time in which the busiest disk had a request, over wall time.
        disk_latency_s: Mean time of a request.
        read_limit_bytes_per_s: Most that a control group lets the workers read from all of their disks
            together.
        read_limit_share: Bytes that they read from storage a second, over that.
        io_wait_share: Time in which workers wait for storage, over wall time and their threads; where that is
            not told, in which processors have nothing else to do, over wall time and processors.
        memory_bytes_per_s: Bytes to and from memory, or the last-level cache's misses times the line.
        cycles_per_instruction: CPI of the workers.
        threads: Of each worker.
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
    read_limit_bytes_per_s: float | None = None
    read_limit_share: float | None = None
    io_wait_share: float | None = None
    memory_bytes_per_s: float | None = None
    cycles_per_instruction: float | None = None
    threads: int = 1
