"""What a guest's host counted of it by reason: exits, and faults on memory of another node."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from assay.explain.advice.remedy import FOR_INTERRUPTS, FOR_IO, REMOTE, TO_WAIT
from assay.model.trial import Trial
from assay.results.series.host_series import HostSeries
from assay.results.series.host_track import totals_of

REASONS: Mapping[str, tuple[str, ...]] = {
    TO_WAIT: ("halt_exits",),
    FOR_IO: ("io_exits", "mmio_exits"),
    FOR_INTERRUPTS: ("irq_exits", "irq_window_exits", "nmi_window_exits"),
}
"""Reasons of exits by the kernel's names of their parts."""
EXITS, HINTS, LOCAL = "exits", "numa_hint_faults", "numa_hint_faults_local"

Counted = Mapping[str, tuple[float, float]]
"""Amount by name, and the total that it is of."""


def on_host(records: Sequence[Trial], folder: Path) -> Counted:
    """Return what the hosts of trials counted, means over those that tell; what none tells is not in it.

    Args:
        records: Trials of one guest.
        folder: The activity's folder.

    Source: Linux, Documentation/virt/kvm/x86, debugfs ``kvm/PID-FD``; ``numa_hint_faults`` of
        ``/proc/vmstat``, Documentation/admin-guide/sysctl/kernel.rst: numa_balancing.

    Limits:
        Exits are of the guest. Faults of NUMA balancing are of the whole host, a sample of its accesses, and
        only where it balances: where there are none nothing is told.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        for name, amount, total in _of_trial(record, folder):
            found.setdefault(name, []).append((amount, total))
    return {name: (fmean(a for a, _ in pairs), fmean(t for _, t in pairs)) for name, pairs in found.items()}


def _of_trial(record: Trial, folder: Path) -> Iterator[tuple[str, float, float]]:
    told = totals_of(record, HostSeries(folder / "trials" / record.planned.name / "host"))
    total, hints = told.get(EXITS, 0.0), told.get(HINTS, 0.0)
    for name, parts in REASONS.items():
        if total > 0 and any(part in told for part in parts):
            yield name, math.fsum(told.get(part, 0.0) for part in parts), total
    if hints > 0 and LOCAL in told:
        yield REMOTE, max(0.0, hints - told[LOCAL]), hints
