"""Numbers below ``/proc/sys`` of the host.

Source: https://docs.kernel.org/admin-guide/sysctl/vm.html and ``kernel.html`` beside it.
"""

from __future__ import annotations

import re
from typing import Any

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Act, Factor, Hazard
from assay.factors.base.levels import Whole
from assay.factors.host.files import KernelFile, host_factor, one_node

_SINCE_200 = (5, 8)
"""Kernel from which ``swappiness`` goes beyond 100."""


def _sysctl(name: str, title: str, levels: Whole, **more: Any) -> Factor:
    barred = {"barred": more.pop("barred")} if "barred" in more else {}
    file = KernelFile(f"/proc/sys/{name.replace('.', '/')}", f"this kernel has no {name}", **barred)
    return host_factor(f"host.{name.rpartition('.')[2]}", title, levels, file, **more)


def _young(host: Host, level: str | None) -> str | None:
    release = host.read("/proc/sys/kernel/osrelease") or ""
    version = re.match(r"(\d+)\.(\d+)", release)
    old = version is not None and (int(version[1]), int(version[2])) < _SINCE_200
    return f"kernel {release} takes 100 at most" if old and int(level or 0) > 100 else None


def _several_nodes(host: Host, level: str | None) -> str | None:
    return None if level == "0" else one_node(host)


def _ratio(name: str, title: str, tried: tuple[int, ...], **more: Any) -> Factor:
    ratio, count = f"/proc/sys/vm/{name}", f"/proc/sys/vm/{name.replace('ratio', 'bytes')}"

    def acts(host: Host, level: str) -> tuple[Act, ...]:
        # a ratio puts the limit in bytes to 0, and the other way round
        limit = host.read(count)
        return (Act(ratio, level, () if limit in {None, "0"} else (Act(count, str(limit)),)),)

    return _sysctl(f"vm.{name}", title, Whole(1, 100, tried, "%"), acts=acts, files=(ratio, count), **more)


FACTORS = (
    _sysctl(
        "vm.swappiness",
        "how readily anonymous memory is swapped out",
        Whole(0, 200, (0, 10, 60)),
        barred=_young,
        note="matters only where there is swap; that a guest was swapped says VmSwap in /proc/PID/status",
    ),
    _sysctl(
        "vm.zone_reclaim_mode",
        "reclaim in the near memory node before going to a far one (bits 1, 2, 4)",
        Whole(0, 7, (0, 1)),
        note="with page cache that all nodes use it costs more than it wins",
    ),
    _sysctl(
        "vm.overcommit_memory",
        "promises of memory: 0 by estimate, 1 always, 2 within a limit",
        Whole(0, 2, (0, 1)),
        hazards=(Hazard.MEMORY, Hazard.OTHERS),
        note="2 fails programs whose promises together pass vm.overcommit_ratio",
    ),
    _sysctl(
        "vm.watermark_scale_factor",
        "how early memory is reclaimed in the background",
        Whole(1, 1000, (10, 100), "1/10000 of a node"),
        hazards=(Hazard.MEMORY,),
    ),
    _sysctl(
        "vm.min_free_kbytes",
        "memory that the kernel keeps free",
        Whole(1024, 2**31 - 1, (131072, 1048576), "KiB"),
        hazards=(Hazard.MEMORY, Hazard.OTHERS),
        note="once set it is not computed anew when memory is added; too much ends processes",
    ),
    _ratio(
        "dirty_background_ratio",
        "dirty share of memory from which the kernel writes in the background",
        (5, 10),
        note="half of dirty_ratio where it is not below it, whatever the file says",
    ),
    _ratio(
        "dirty_ratio",
        "dirty share of memory from which writers wait",
        (10, 20, 40),
        hazards=(Hazard.DATA,),
        note="a longer window of data that a power cut takes",
    ),
    _sysctl(
        "vm.dirty_expire_centisecs",
        "age from which dirty data is written",
        Whole(1, 2**31 - 1, (500, 3000), "1/100 s"),
        hazards=(Hazard.DATA,),
    ),
    _sysctl(
        "vm.dirty_writeback_centisecs",
        "time between two rounds of writing; 0 never",
        Whole(0, 2**31 - 1, (100, 500), "1/100 s"),
        hazards=(Hazard.DATA,),
    ),
    _sysctl(
        "kernel.numa_balancing",
        "moving of pages to where they are used: 0 off, 1 on, 2 between tiers of memory",
        Whole(0, 2, (0, 1)),
        barred=_several_nodes,
        note="0 with pinned guests; 1 helps those that are not",
    ),
    _sysctl(
        "kernel.sched_autogroup_enabled",
        "processes of one terminal share a group of the scheduler",
        Whole(0, 1, (0, 1)),
    ),
)
