"""This machine at one moment: counters whose change over a trial tells what else happened meanwhile."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.machines.host.counters import below_base, parse_cpu_ticks, parse_swap_pages, sum_throttles
from assay.model.work.disturbance import HostOver

CLOCK_TRIES = 5
"""The two clocks are read in turn so often, and the quickest pair counts: a pause between them is no step."""


@dataclass(frozen=True)
class HostReading:
    """Counters since boot; ``None`` is "not told".

    Attributes:
        mono_s: Monotonic clock.
        wall_lead_s: Wall clock minus monotonic clock: only a set clock or a suspension changes it.
        busy_s: CPU seconds that somebody had on the processors.
        steal_s: CPU seconds that the machine's own hypervisor took from them.
        throttle_count: Times that they slowed themselves down.
        below_base: One of them was not allowed its base frequency.
        swap_pages: Pages swapped in and out.
        own_s: CPU seconds that this process had, and the programs that it keeps running or waited for.
    """

    mono_s: float
    wall_lead_s: float
    busy_s: float | None
    steal_s: float | None
    throttle_count: int | None
    below_base: bool | None
    swap_pages: int | None
    own_s: float | None = None


def read_host(cpus: Sequence[int], *, root: Path = Path("/")) -> HostReading:
    """Read the counters of some processors and of the whole machine.

    Args:
        cpus: Numbers of the processors.
        root: Where ``proc`` and ``sys`` are.
    """
    mono_s, lead_s = _clocks()
    ticks = parse_cpu_ticks(_text(root / "proc/stat") or "", cpus)
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    folders = [root / f"sys/devices/system/cpu/cpu{cpu}" for cpu in cpus]
    return HostReading(
        mono_s=mono_s,
        wall_lead_s=lead_s,
        busy_s=ticks and ticks[0] * tick_s,
        steal_s=ticks and ticks[1] * tick_s,
        throttle_count=_throttles(folders),
        below_base=_below_base(folders),
        swap_pages=parse_swap_pages(_text(root / "proc/vmstat") or ""),
        own_s=own_cpu_s(),
    )


def own_cpu_s(proc: Path = Path("/proc")) -> float:
    """Return the CPU seconds of this process, of children that it waited for, and so far of those that run.

    What a child waited for itself is not counted: that may be a job. A child that ends uncollected takes its
    time along.

    Source: ``man 2 getrusage``; ``man 5 proc``, ``children``; the kernel's ``scheduler/sched-stats``,
        ``/proc/<pid>/schedstat``.
    """
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = time.process_time() + waited.ru_utime + waited.ru_stime
    for task in (proc / "self/task").iterdir():
        for child in (_text(task / "children") or "").split():
            spent += sum(map(_on_cpu_s, (proc / child / "task").glob("*/schedstat")))
    return spent


def _on_cpu_s(schedstat: Path) -> float:
    """Return the CPU seconds of a thread; 0 for one that is gone, or where the kernel does not tell."""
    first = (_text(schedstat) or "0").split()[0]
    return int(first) / 1e9


def host_over(
    before: HostReading,
    after: HostReading,
    *,
    cpus: tuple[int, ...],
    used_s: float | None,
    shared: bool = False,
) -> HostOver:
    """Return what changed between two readings.

    Args:
        before: Reading before a trial.
        after: Reading after it.
        cpus: The processors that were read.
        used_s: CPU seconds that the job had meanwhile, of a guest its whole QEMU process; ``None`` is "not
            known", and then nobody's share is.
        shared: This process may have run on these processors too; what it used is not the share of others.
    """
    busy_s, own_s = _change(before.busy_s, after.busy_s), _change(before.own_s, after.own_s)
    if shared:
        used_s = None if used_s is None or own_s is None else used_s + own_s
    return HostOver(
        seconds=after.mono_s - before.mono_s,
        cpus=cpus,
        foreign_s=None if busy_s is None or used_s is None else max(0.0, busy_s - used_s),
        steal_s=_change(before.steal_s, after.steal_s),
        throttle_count=_whole(_change(before.throttle_count, after.throttle_count)),
        below_base=None if after.below_base is None else bool(before.below_base) or after.below_base,
        swap_pages=_whole(_change(before.swap_pages, after.swap_pages)),
        clock_step_s=after.wall_lead_s - before.wall_lead_s,
        controller_s=own_s,
    )


def _change(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else max(0, after - before)


def _whole(count: float | None) -> int | None:
    return None if count is None else int(count)


def _clocks() -> tuple[float, float]:
    """Return the monotonic clock and the wall clock's lead over it, of the quickest of several tries."""
    tries = [(time.monotonic_ns(), time.time_ns(), time.monotonic_ns()) for _ in range(CLOCK_TRIES)]
    first, wall, last = min(tries, key=lambda one: one[2] - one[0])
    return last / 1e9, (wall - (first + last) // 2) / 1e9


def _throttles(folders: Sequence[Path]) -> int | None:
    files = [path for folder in folders for path in folder.glob("thermal_throttle/*_throttle_count")]
    return sum_throttles({str(path): text for path in files if (text := _text(path)) is not None})


def _below_base(folders: Sequence[Path]) -> bool | None:
    base, most = (
        [text for folder in folders if (text := _text(folder / "cpufreq" / name)) is not None]
        for name in ("base_frequency", "scaling_max_freq")
    )
    return below_base(base, most)


def _text(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None
