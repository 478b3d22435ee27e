"""Tunables of the host's scheduler; their names are not those of a stable interface.

Source: https://docs.kernel.org/scheduler/sched-debug.html; ``kernel/sched/debug.c`` (5.13 to 6.18).
"""

from __future__ import annotations

from assay.factors.base.factor import Hazard
from assay.factors.base.levels import Whole
from assay.factors.host.files import KernelFile, host_factor

_TUNABLES = (
    ("base_slice_ns", "time that a thread runs before it may be preempted", (700_000, 3_000_000)),
    ("migration_cost_ns", "time for which a thread counts as cache-hot", (500_000, 5_000_000)),
)

FACTORS = tuple(
    host_factor(
        f"host.sched-{word}",
        title,
        Whole(0 if word == "migration_cost_ns" else 100_000, 1_000_000_000, tried, "ns"),
        KernelFile(
            f"/sys/kernel/debug/sched/{word}", f"this kernel has no {word}, or debugfs is not mounted"
        ),
        hazards=(Hazard.OTHERS,),
        note="base_slice_ns is there from kernel 6.6 on" if word == "base_slice_ns" else "",
    )
    for word, title, tried in _TUNABLES
)
