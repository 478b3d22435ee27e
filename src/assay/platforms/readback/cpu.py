"""Threads of a QEMU process: where they may run, the CPU time that they took, and how often they moved.

Source: ``man 5 proc``: ``/proc/PID/task/TID/status`` (``Cpus_allowed_list``), ``/proc/PID/task/TID/stat``
fields 14 and 15, ``/proc/PID/stat`` (all threads, ended ones included). Linux kernel/sched/debug.c:
``/proc/PID/task/TID/sched``, ``se.nr_migrations`` (times that the thread came to another processor).
``Documentation/ABI/stable/sysfs-devices-node``: nodes that are online, and those that have memory.
Limits: CPU times come in clock ticks (10 ms). ``sched`` needs CONFIG_SCHED_DEBUG.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from assay.model.platforms.platform import HypervisorCpu
from assay.platforms.errors import PlatformError
from assay.platforms.process import stat_fields

PROC = Path("/proc")
NODES = Path("/sys/devices/system/node")


MOST_CPUS = 1 << 16
"""Linux takes 8192 at most (``NR_CPUS``)."""


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """Return the processors of a kernel list, ``0-2,5`` -> (0, 1, 2, 5); empty text gives none.

    Raises:
        ValueError: it is no such list, or tells of more processors than a machine has.
    """
    cpus: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus += range(_cpu(first), _cpu(last or first) + 1)
        if len(cpus) > MOST_CPUS:
            msg = f"expected at most {MOST_CPUS} processors, got '{text.strip():.40}'"
            raise ValueError(msg)
    return tuple(cpus)


def _cpu(text: str) -> int:
    if len(text) > len(str(MOST_CPUS)) or not 0 <= (number := int(text)) < MOST_CPUS:
        msg = f"expected the number of a processor, got '{text:.40}'"
        raise ValueError(msg)
    return number


def memory_node_list(read: Callable[[str], str | None]) -> str:
    """Return the kernel's list of the nodes that have memory.

    A node of processors whose memory slots are empty is online too, but in no policy and no cpuset.

    Args:
        read: Returns a file's text by its path; ``None`` where it cannot be read.

    Returns:
        All nodes online where an older kernel does not tell, node 0 where it shows no nodes.
    """
    return read(f"{NODES}/has_memory") or read(f"{NODES}/online") or "0"


def node_cpus(folder: Path = NODES) -> dict[int, tuple[int, ...]]:
    """Return the processors of each node of this machine, also of one without memory; empty where its kernel
    shows none.
    """
    files = {int(path.parent.name.removeprefix("node")): path for path in folder.glob("node[0-9]*/cpulist")}
    return {node: parse_cpu_list(path.read_text()) for node, path in sorted(files.items())}


def parse_status(text: str) -> dict[str, str]:
    """Return the fields of a ``status`` file, names without colon, values stripped."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}


def parse_cpu_ticks(text: str) -> int:
    """Return user plus system clock ticks of a ``stat`` line."""
    fields = stat_fields(text)
    return int(fields[11]) + int(fields[12])


def parse_migrations(text: str) -> int | None:
    """Return how often a thread changed its processor, from its ``sched``; ``None`` if it is not there."""
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == "se.nr_migrations":
            return int(value) if re.fullmatch(r"\s*[0-9]{1,20}\s*", value) else None
    return None


def process_of_thread(thread: int, *, proc: Path = PROC) -> int:
    """Return the process that a thread belongs to.

    Raises:
        PlatformError: there is no such thread.
    """
    try:
        return int(parse_status((proc / str(thread) / "status").read_text())["Tgid"])
    except (FileNotFoundError, ProcessLookupError) as error:
        msg = f"cannot read the guest's process: thread {thread} is gone"
        raise PlatformError(msg, hint="assay platform clean") from error


def threads_cpus(pid: int, *, proc: Path = PROC) -> dict[int, tuple[int, ...]]:
    """Return for each thread of a process the processors that it may run on."""
    texts = _task_files(pid, "status", proc=proc)
    return {thread: parse_cpu_list(parse_status(text)["Cpus_allowed_list"]) for thread, text in texts.items()}


def confined_to(threads: Mapping[int, tuple[int, ...]], allowed: tuple[int, ...]) -> tuple[int, ...]:
    """Return the processors that the threads may run on together, sorted.

    Raises:
        PlatformError: a thread may run outside ``allowed``, or there are no threads.
    """
    for thread, cpus in sorted(threads.items()):
        if not set(cpus) <= set(allowed):
            msg = (
                f"cannot confine the guest: thread {thread} of QEMU may run on {list(cpus)}, "
                f"expected {list(allowed)}"
            )
            raise PlatformError(msg, hint="check the cpuset group and the domain's emulatorpin")
    if not threads:
        msg = "cannot confine the guest: its process is gone"
        raise PlatformError(msg, hint="assay platform clean")
    return tuple(sorted({cpu for cpus in threads.values() for cpu in cpus}))


def hypervisor_cpu(pid: int, vcpu_threads: frozenset[int], *, proc: Path = PROC) -> HypervisorCpu:
    """Return the CPU seconds of a QEMU process and the migrations of its vCPU threads since its start.

    Threads that ended count as "other".

    Raises:
        PlatformError: the process is gone.
    """
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    texts = _task_files(pid, "stat", proc=proc)
    vcpu = sum(parse_cpu_ticks(text) for thread, text in texts.items() if thread in vcpu_threads)
    try:
        total = parse_cpu_ticks((proc / str(pid) / "stat").read_text())
    except (FileNotFoundError, ProcessLookupError) as error:
        msg = f"cannot read the guest's CPU time: process {pid} is gone"
        raise PlatformError(msg, hint="assay platform clean") from error
    # the kernel scales ticks of a thread and of its process apart: their difference may be a tick below zero
    return HypervisorCpu(
        vcpu_s=vcpu * tick_s,
        other_s=max(0, total - vcpu) * tick_s,
        vcpu_migrations=_migrations(pid, vcpu_threads, proc=proc),
    )


def _migrations(pid: int, vcpu_threads: frozenset[int], *, proc: Path) -> tuple[int, ...] | None:
    """Return the migrations of each vCPU thread; ``None`` where one is not told."""
    counts = []
    for thread in sorted(vcpu_threads):
        try:
            text = (proc / str(pid) / "task" / str(thread) / "sched").read_text()
        except OSError:
            return None
        counts.append(parse_migrations(text))
    known = tuple(count for count in counts if count is not None)
    return known if known and len(known) == len(counts) else None


def _task_files(pid: int, name: str, *, proc: Path) -> dict[int, str]:
    texts: dict[int, str] = {}
    for folder in (proc / str(pid) / "task").glob("*"):
        try:
            texts[int(folder.name)] = (folder / name).read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # a thread of QEMU's pool that ended meanwhile
    return texts
