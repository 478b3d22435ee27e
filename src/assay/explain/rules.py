"""What causes look like that make a job wait: one rule a cause (``docs/explain.md``)."""

from __future__ import annotations

from collections.abc import Iterable

from assay.explain.evidence import Case, Claim, Seen, grown, within_tolerance
from assay.explain.sentence import bytes_text, count_text, rate_text
from assay.explain.split import Category
from assay.model.units import format_bytes

SAME_BYTES = 0.1
"""Amounts of data that differ by less than this share are the same work."""
MORE_BYTES = 1 << 18
"""Fewer bytes more from storage are no cold cache."""
CLEARLY_MORE = 1.0
"""Growth of what comes from storage from which idle time is looked at as well."""
SLOWEST_DISK = 0.3e6
"""Bytes a second of a disk that is read at random, some 75 requests of 4 KiB: 7,200 turns a minute and a seek
each.
"""
OTHERS = 0.5
"""Share of a wait for processors that others must have been busy there to be named."""
THROTTLED = 0.01
"""Share of the wall time that a quota must hold a job back before it is named."""
OF_QUEUE = 0.25
"""And of the longer wait for a processor: once let go, a job still queues behind others that it
then meets.
"""


def cpu_quota(case: Case) -> Claim | None:
    """Return the claim of a CPU quota: the group was throttled, or a quota stands and nothing was told."""
    base, treated = case.baseline, case.treatment
    if treated.throttled_s is None:
        if treated.quota is None or treated.quota == base.quota:
            return None
        known = f"it may use {100 * treated.quota:.4g}% of its processors' time"
    else:
        more = treated.throttled_s - (base.throttled_s or 0.0)
        here, there = case.seconds(Category.QUEUE)
        if more < max(THROTTLED * treated.wall_s, OF_QUEUE * (there - here) * treated.parallelism):
            return None
        allowed = (
            ""
            if treated.quota is None
            else f" (it may use {100 * treated.quota:.4g}% of its processors' time)"
        )
        summed = ", summed over processors," if treated.parallelism > 1 else ""
        known = f"it stood still for {treated.throttled_s:.3g} s{summed} of {treated.wall_s:.3g} s{allowed}"
    sentence = f"A CPU quota holds {treated.label} back: {known}."
    step = "lift the quota (factor cpu.quota; cpu.max of the control group), or compare at the same quota"
    return Claim("cpu-quota", sentence, step, (Category.QUEUE, *_untold(Category.IDLE, treated.queue_known)))


def memory_limit(case: Case) -> Claim | None:
    """Return the claim of scarce memory: the limit is hit more often, or pages come back from storage."""
    base, treated = case.baseline, case.treatment
    hits = grown(base.limit_hits, treated.limit_hits, by=1.0, least=10)
    faults = grown(base.major_faults, treated.major_faults, by=1.0, least=100)
    less = treated.memory_bytes is not None and treated.memory_bytes != base.memory_bytes
    if not hits and not (faults and (less or treated.limit_hits)):
        return None
    limit = "" if treated.memory_bytes is None else f" of {format_bytes(treated.memory_bytes)}"
    sentence = (
        f"Memory is short on {treated.label}: it ran into its limit{limit} "
        f"{count_text(treated.limit_hits)} times "
        f"({base.label}: {count_text(base.limit_hits)}), {count_text(treated.major_faults)} page "
        f"faults waited for storage ({base.label}: {count_text(base.major_faults)})."
    )
    step = "give it more memory (factor memory.size or memory.limit), or a job that needs less"
    return Claim("memory-limit", sentence, step, (Category.IO, Category.SYSTEM, Category.IDLE))


def cold_cache(case: Case) -> Claim | None:
    """Return the claim of a cold cache: more bytes from storage for the same logical bytes."""
    base, treated = case.baseline, case.treatment
    same = within_tolerance(base.logical_bytes, treated.logical_bytes, within=SAME_BYTES)
    idle = (Category.IDLE,) if _fetched_meanwhile(case) else _untold(Category.IDLE, treated.io_known)
    if not same or not grown(base.read_bytes, treated.read_bytes, by=SAME_BYTES, least=MORE_BYTES):
        return None
    sentence = (
        f"The page cache is colder on {treated.label}: {bytes_text(treated.read_bytes)} came "
        "from storage instead "
        f"of {bytes_text(base.read_bytes)}, for the same {bytes_text(treated.logical_bytes)} "
        "read and written."
    )
    step = "declare the cache state of both arms (cache: warm or cold), or preload the files"
    return Claim("cold-cache", sentence, step, (Category.IO, *idle))


def _fetched_meanwhile(case: Case) -> bool:
    """Tell whether the bytes that came from storage in addition may have taken all of the longer idle time.

    While others use the job's processors the kernel counts none of its I/O wait: it is idle time then.
    """
    base, treated = case.baseline, case.treatment
    if not grown(base.read_bytes, treated.read_bytes, by=CLEARLY_MORE, least=MORE_BYTES):
        return False
    here, there = case.seconds(Category.IDLE)
    more = (treated.read_bytes or 0.0) - (base.read_bytes or 0.0)
    return (there - here) * (treated.read_limit or SLOWEST_DISK) <= more * (1 + SAME_BYTES)


def disk_throughput(case: Case) -> Claim | None:
    """Return the claim of a slower disk: the same bytes of storage, and a longer wait for them."""
    base, treated = case.baseline, case.treatment
    here, there = base.storage_bytes, treated.storage_bytes
    if not within_tolerance(here, there, within=SAME_BYTES) or not there or there < MORE_BYTES:
        return None
    sentence = (
        f"The disk is slower on {treated.label}: {bytes_text(there)} of storage took it "
        f"{treated.wall_s:.3g} s ({rate_text(there, treated.wall_s)}), {base.label} {base.wall_s:.3g} s "
        f"({rate_text(here, base.wall_s)})."
    )
    step = (
        "look at the disk's limits and cache mode (factor disk.cache; io.max of the control group; the pool)"
    )
    return Claim("disk-throughput", sentence, step, _disk(treated))


def io_wait(case: Case) -> Claim | None:
    """Return the claim of a longer wait for storage whose bytes are not told or not the same."""
    base, treated = case.baseline, case.treatment
    sentence = (
        f"Storage is waited for longer on {treated.label}, for "
        f"{bytes_text(treated.storage_bytes)} instead of {bytes_text(base.storage_bytes)}."
    )
    step = "watch the disks (assay evaluate --watch disks,pressure) to see whose bytes these are"
    return Claim("io-wait", sentence, step, (Category.IO,))


def run_queue(case: Case) -> Claim | None:
    """Return the claim of other work on the processors, of the machine itself or of other guests."""
    treated = case.treatment
    stolen = _stolen(treated)
    here, there = case.seconds(Category.QUEUE)
    waits = f"the job waits {there:.3g} s for one instead of {here:.3g} s"
    if _by_itself(treated, there):
        sentence = f"More copies than processors on {treated.label}: {waits}, and no others are seen there."
        step = "run no more copies and threads than it has processors, or compare at the same number of both"
        return Claim("run-queue", sentence, step, (Category.QUEUE,))
    sentence = f"Others have the processors of {treated.label}: {waits}{stolen}."
    step = "find who else runs there (assay evaluate --profile --system), pin, or book the machine alone"
    return Claim("run-queue", sentence, step, (Category.QUEUE,))


def _stolen(seen: Seen) -> str:
    """Return what a hypervisor or its host took of a job's processors; empty where nothing was."""
    if seen.vcpu_wait_s:
        return f"; its host counted {seen.vcpu_wait_s:.3g} s in which its vCPUs waited for a processor there"
    return f"; a hypervisor took {seen.steal_s:.3g} s" if seen.steal_s else ""


def _by_itself(seen: Seen, queue_s: float) -> bool:
    """Tell whether a job waits for its own copies: others are known not to be there, or not known
    in a crowd.
    """
    if seen.steal_s and seen.steal_s >= OTHERS * queue_s * seen.parallelism:
        return False
    if seen.others_s is None:
        return seen.threads > seen.cpus
    return seen.others_s < OTHERS * queue_s * seen.parallelism


def waiting(case: Case) -> Claim | None:
    """Return the claim of idle time: the job slept, or waited for a lock, another process or the network."""
    base, treated = case.baseline, case.treatment
    here, there = case.seconds(Category.IDLE)
    waits = ""
    if base.waits is not None and treated.waits is not None:
        waits = (
            f"; it gave a processor up {count_text(treated.waits)} instead of {count_text(base.waits)} times"
        )
    untold = [] if treated.io_known else ["storage"]
    untold += [] if treated.queue_known else ["a processor"]
    hidden = f" Its own waits for {' and '.join(untold)} were not told and are in it." if untold else ""
    sentence = f"The job is idle on {treated.label} for {there:.3g} s instead of {here:.3g} s{waits}.{hidden}"
    step = (
        "look for what it waits: sleeps, locks, the network (assay evaluate --watch delay,pressure,network)"
    )
    return Claim("waiting", sentence, step, (Category.IDLE,))


def _disk(seen: Seen) -> tuple[Category, ...]:
    return (Category.IO, *_untold(Category.IDLE, seen.io_known))


def _untold(category: Category, reported: bool) -> Iterable[Category]:
    """Return where a wait is to be found that nothing told of: it is in the idle time."""
    return () if reported else (category,)
