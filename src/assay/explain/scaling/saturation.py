"""Which resource a scaling curve runs into: the first rule that holds, or what to watch next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.explain.scaling.ends import MOST, Ends, disk, work_s
from assay.explain.scaling.knee import FEWEST_COUNTS
from assay.explain.scaling.points import ScalePoint
from assay.explain.scaling.resource import Resource, Saturation
from assay.explain.scaling.rules import (
    FLAT,
    LEAST_DISK_BYTES_PER_S,
    SLOWER,
    cpu,
    latency,
    limit,
    locks,
    memory,
    throughput,
)


def saturation(points: Sequence[ScalePoint], knee: float | None, *, bends: bool = False) -> Saturation:
    """Return what saturates behind the knee, or with the most workers, the first of the rules that holds.

    A limit of reads: what is read reaches what a control group allows. Lock contention: the kernel's share of
    the CPU time is above 20 % and twice that of few workers. Memory: workers need a quarter more cycles for
    an instruction, or a quarter more CPU time for the same work while memory moves no more. CPU: the
    processors are busy, and the same work takes the same CPU time; or workers wait in the run queue for
    processors that a quota or others have, longer than for each other. Disk latency: requests take twice as
    long and the throughput fell below its best, with the disk half busy at least. Disk throughput: the disk
    is busy, or its throughput stands still with processors to spare; where it is known not to be busy,
    workers must wait for it, too.

    Source: the USE method (utilization, saturation, errors): B. Gregg, "Systems Performance", 2nd ed. (2020),
        section 2.5.9. Published cases: Chen et al. (2007), 55 MB/s of a RAID 5 and 25 MB/s of a single disk.

    Limits: attributed, not proved: what is full need not be what limits. Without a disk's busy share a lock
        in user space that keeps workers asleep looks like a disk, as far as it moves bytes at a steady rate.

    Args:
        points: The curve's measurements.
        knee: Workers at the knee; ``None`` where there is none.
        bends: Whether it leaves its line without a knee: then its most workers are looked at.
    """
    if knee is None and len({point.workers for point in points}) < FEWEST_COUNTS:
        return Saturation(Resource.NONE, "A knee is looked for from three numbers of workers on.")
    if knee is None and not bends:
        return Saturation(Resource.NONE, "The rate grows with the workers as far as it was measured.")
    ends = _ends(points, knee)
    rules = (limit, locks, memory, cpu, lambda e: latency(e, points), throughput)
    return next((saturated for rule in rules if (saturated := rule(ends)) is not None), _unknown(ends))


def _ends(points: Sequence[ScalePoint], knee: float | None) -> Ends:
    counts = sorted({point.workers for point in points})
    few = [point for point in points if point.workers == counts[0]]
    if knee is not None:
        behind = [p for p in points if p.workers >= knee * (1 - FLAT) and p.workers > counts[0]]
        return Ends(few, behind)
    before, most = ([point for point in points if point.workers == count] for count in counts[-2:])
    return Ends(few, most, MOST, before)


def _unknown(ends: Ends) -> Saturation:
    sentence = f"Nothing that was measured tells what limits {ends.where}{_figures_text(ends)}."
    missing = list(_missing(ends))
    step = (
        f"Measure again with {' and '.join(missing)}."
        if missing
        else "Look for a lock in the program itself (profile)."
    )
    return Saturation(Resource.UNKNOWN, sentence, step)


def _figures_text(ends: Ends) -> str:
    share, kernel = ends.at(lambda p: p.cpu_share)[1], ends.at(lambda p: p.system_share)[1]
    moved, busy = ends.at(disk)[1], ends.at(lambda p: p.disk_busy_share)[1]
    parts = [f"processors {share:.0%} busy"] if share is not None else []
    parts += [f"{kernel:.0%} of the CPU time in the kernel"] if kernel is not None else []
    parts += [f"disk {moved / 1e6:.3g} MB/s"] if moved is not None and moved >= LEAST_DISK_BYTES_PER_S else []
    parts += [f"disk {busy:.0%} busy"] if busy is not None else []
    waits = ends.at(lambda p: p.io_wait_share)[1]
    parts += [f"{waits:.0%} of the time waiting for storage"] if waits is not None else []
    queue = ends.at(lambda p: p.run_queue_share)[1]
    parts += [f"workers {queue:.0%} of their time in the run queue"] if queue is not None else []
    work = ends.ratio(work_s)
    parts += (
        [f"{work:.3g} times the CPU time for the same work"] if work is not None and work > SLOWER else []
    )
    return f" ({', '.join(parts)})" if parts else ""


def _missing(ends: Ends) -> Iterator[str]:
    if ends.at(lambda point: point.cycles_per_instruction)[1] is None:
        yield "'counters: [cycles, instructions, cache-misses]'"
    if ends.at(lambda point: point.run_queue_share)[1] is None:
        yield "a probe that tells waits for a processor ('watch: [delay]' tells those of an event loop)"
    if ends.at(lambda point: point.disk_busy_share)[1] is None:
        yield "'watch: [disks, delay]'"
