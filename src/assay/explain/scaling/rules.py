"""The rules by which a resource is called saturated, each with its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.explain.scaling.ends import Ends, disk, work_s
from assay.explain.scaling.points import ScalePoint
from assay.explain.scaling.resource import Resource, Saturation

BUSY = 0.90
"""Share of processors, or of a disk's time, from which it is full: the rest is start, end and gaps."""
QUEUED = 0.20
"""Share of a worker's turn on the processors spent in the run queue from which processors are what it lacks,
if it also grew.
"""
QUEUED_MORE = 0.10
"""By so much, so that a wait that was always there is not taken for the knee's."""
HALF_BUSY = 0.50
"""Share of a disk's time below which its latency holds nobody up."""
KERNEL = 0.20
"""Share of CPU time in the kernel from which locks are looked for, if it also doubled."""
FLAT = 0.10
"""Throughputs this close are the same one."""
SLOWER = 1.25
"""Ratio of CPI, or of CPU time for the same work, from which workers slow each other down."""
WAITS = 2.0
"""Ratio of a disk's latency from which requests queue."""
AT_LIMIT = 0.85
"""Share of what a control group lets through from which reading is at that limit: the rest is start, end and
gaps.
"""
WAITING = 0.20
"""Share of the time spent waiting for storage from which workers lack what it gives."""
LEAST_DISK_BYTES_PER_S = 1e6
"""Below this no disk is the limit by throughput."""


def limit(ends: Ends) -> Saturation | None:
    """Tell whether the workers read as much as a control group lets them, which is known and needs no other
    evidence.
    """
    share = ends.at(lambda point: point.read_limit_share)[1]
    most = ends.at(lambda point: point.read_limit_bytes_per_s)[1]
    if share is None or most is None or share < AT_LIMIT:
        return None
    busy = ends.at(lambda point: point.cpu_share)[1]
    reported = "" if busy is None else f", and the processors are {busy:.0%} busy"
    sentence = (
        f"{ends.begins} {share * most / 1e6:.3g} MB/s are read from the disk, {share:.0%} of the "
        f"{most / 1e6:.3g} MB/s to which a control group limits it (disk.read-limit){reported}."
    )
    return Saturation(Resource.DISK_THROUGHPUT, sentence, "Raise the limit, or read less from the disk.")


def locks(ends: Ends) -> Saturation | None:
    """Tell whether the kernel takes much of the CPU time, and far more than with few workers."""
    few, many = ends.at(lambda point: point.system_share)
    if many is None or many < KERNEL or (few is not None and many < 2 * few):
        return None
    grown = "" if few is None else f", {few:.0%} with the fewest workers"
    sentence = (
        f"{ends.begins} {many:.0%} of the CPU time is spent in the kernel{grown}: workers wait for its locks."
    )
    return Saturation(Resource.LOCKS, sentence, "Profile the kernel ('profile: {scope: machine}', as root).")


def memory(ends: Ends) -> Saturation | None:
    """Tell whether workers need more cycles for an instruction, or more CPU time for the work while memory is
    read no faster.
    """
    few, many = ends.at(lambda point: point.cycles_per_instruction)
    if few and many and many > SLOWER * few:
        sentence = (
            f"An instruction takes {many:.3g} cycles {ends.where} and {few:.3g} with the fewest workers: "
            "they wait for memory, or push each other out of the shared cache."
        )
        return Saturation(Resource.MEMORY, sentence, _SPREAD)
    moved, work = ends.at(lambda point: point.memory_bytes_per_s)[1], ends.ratio(work_s)
    if moved and work is not None and work > SLOWER and steady(ends, lambda point: point.memory_bytes_per_s):
        sentence = (
            f"The same work takes {work:.3g} times the CPU time {ends.where}, and memory moves "
            f"{moved / 1e9:.3g} GB/s and no more with more workers."
        )
        return Saturation(Resource.MEMORY, sentence, _SPREAD)
    return None


def cpu(ends: Ends) -> Saturation | None:
    """Tell whether the processors are busy with the same CPU time for the same work, or not to be had."""
    share, work = ends.at(lambda point: point.cpu_share)[1], ends.ratio(work_s)
    if share is None or (work is not None and work > SLOWER):
        return None
    if share >= BUSY:
        cores = ends.at(lambda point: point.processors)[1]
        known = f"the {cores:.0f} processors are" if cores and cores > 1 else "the processor is"
        return Saturation(Resource.CPU, f"{ends.begins} {known} {share:.0%} busy.", _MORE)
    return _waited(ends, share)


def _waited(ends: Ends, share: float) -> Saturation | None:
    """Tell whether workers wait for processors that they do not use up themselves."""
    few, many = ends.at(_kept_waiting)
    reported = ends.at(lambda point: point.run_queue_share)[1]
    if reported is None or many is None or many < QUEUED or (few is not None and many < few + QUEUED_MORE):
        return None
    sentence = (
        f"{ends.begins} a worker is ready and waits for a processor {reported:.0%} of the time, "
        f"and the workers use {share:.0%} of the processors: a quota, or somebody else, has the rest."
    )
    return Saturation(
        Resource.CPU, sentence, "End what else runs there, or raise the quota, and measure again."
    )


def _kept_waiting(point: ScalePoint) -> float | None:
    """Return the share of its turn on the processors that a worker waits for more; ``None`` is "not told".

    W threads on P processors that are always ready run P/W of the time and wait 1 - P/W for each other.
    """
    if point.run_queue_share is None:
        return None
    threads = point.workers * point.threads
    turn = min(1.0, (point.processors or threads) / threads)
    return max(0.0, point.run_queue_share - (1 - turn)) / turn


def latency(ends: Ends, points: Sequence[ScalePoint]) -> Saturation | None:
    """Tell whether requests to the disk queue while it moves less than it can."""
    few, many = ends.at(lambda point: point.disk_latency_s)
    now, best = ends.at(disk)[1], max((point.disk_bytes_per_s or 0.0 for point in points), default=0.0)
    if not few or many is None or many < WAITS * few or now is None or now > (1 - FLAT) * best:
        return None
    busy = ends.at(lambda point: point.disk_busy_share)[1]
    if best < LEAST_DISK_BYTES_PER_S if busy is None else busy < HALF_BUSY:
        return None
    sentence = (
        f"A request to the disk takes {many * 1e3:.3g} ms {ends.where} and {few * 1e3:.3g} ms "
        "with the fewest "
        f"workers, and its {now / 1e6:.3g} MB/s are below the best {best / 1e6:.3g}: the workers "
        "make it seek."
    )
    return Saturation(
        Resource.DISK_LATENCY, sentence, "Stagger the workers, read ahead, or use more or faster disks."
    )


def throughput(ends: Ends) -> Saturation | None:
    """Tell whether the disk is busy, or moves no more with processors to spare.

    A disk that is not busy may be held back before it is reached, by a limit: then workers wait for it all
    the same.
    """
    moved, busy = ends.at(disk)[1], ends.at(lambda point: point.disk_busy_share)[1]
    share = ends.at(lambda point: point.cpu_share)[1]
    full = busy is not None and busy >= BUSY
    waits = ends.at(lambda point: point.io_wait_share)[1]
    held_back = busy is not None and not full and waits is not None and waits >= WAITING
    spare = (busy is None or held_back) and share is not None and share < BUSY and steady(ends, disk)
    if moved is None or moved < LEAST_DISK_BYTES_PER_S or not (full or spare):
        return None
    parts = [f"{ends.begins} the disk moves {moved / 1e6:.3g} MB/s"]
    parts += ["no more with more workers"] if spare and not full else []
    parts += [f"is busy {busy:.0%} of the time"] if busy is not None else []
    parts += [f"workers wait {waits:.0%} of the time for it"] if held_back and waits is not None else []
    parts += [f"the processors are {share:.0%} busy"] if share is not None else []
    step = "Look for a limit before the disk (io.max, its hypervisor)." if held_back else _FASTER
    return Saturation(Resource.DISK_THROUGHPUT, f"{', '.join(parts)}.", step)


def steady(ends: Ends, figure: Callable[[ScalePoint], float | None]) -> bool:
    """Tell whether a throughput grew up to the knee and then stood still."""
    known = [value for point in (*ends.before, *ends.many) if (value := figure(point)) is not None]
    grown = ends.ratio(figure)
    return bool(known) and max(known) - min(known) <= FLAT * max(known) and (grown or 0) > 1 + FLAT


_FASTER = "Use more or faster disks, or preload the input."
_MORE = "More processors, or less work for an event, is what would lift the rate."
_SPREAD = "Spread the workers over memory nodes (memory_nodes), run fewer at once, or use huge pages."
