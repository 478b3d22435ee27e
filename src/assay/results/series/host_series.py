"""What a probe on a guest's host sampled, as totals over time (``docs/series.md``, ``guests`` and
``vmstat``).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.probe import parse_cells, read_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

EXITS = (
    "exits", "io_exits", "mmio_exits", "halt_exits", "irq_exits", "irq_window_exits", "nmi_window_exits",
    "signal_exits", "hypercalls", "insn_emulation", "pf_fixed", "tlb_flush",
)  # fmt: skip
"""Columns of exits without ``_count``: the kernel's own names."""


@dataclass(frozen=True)
class Totals:
    """Totals that were told at the same moments.

    Attributes:
        mono_ns: Moments on the host's monotonic clock.
        columns: Each total by name; NaN is "not told".
    """

    mono_ns: Numbers
    columns: Mapping[str, Numbers]


@dataclass(frozen=True)
class HostSeries:
    """The series of a guest's host, read when they are asked for.

    Attributes:
        folder: Folder ``host`` of the trial's record.
    """

    folder: Path

    @cached_property
    def guest(self) -> Totals | None:
        """Return what the guest's QEMU process used; ``None`` where it was not watched."""
        file = self.folder / "guests.csv"
        return guest_totals(file.read_bytes()) if file.is_file() else None

    @cached_property
    def machine(self) -> Totals | None:
        """Return the events of the host's memory management; ``None`` where they were not told."""
        columns = dict(read_series(self.folder / "vmstat.csv"))
        return Totals(columns.pop("mono_ns"), columns) if "mono_ns" in columns else None


def guest_totals(data: bytes) -> Totals | None:
    """Return the totals of one guest from its rows of ``guests.csv``; ``None`` without any.

    Returns:
        ``vcpu_run_s``, ``vcpu_wait_s`` (all vCPUs), ``other_s`` (QEMU's other threads), ``read_bytes``,
        ``write_bytes``, ``received_bytes``, ``sent_bytes`` (all taps), and each of ``EXITS``.

        Where a sample has other vCPUs than most, their totals and ``other_s`` are not told.

    Limits: the CPU time of the whole process is told in ticks of 10 ms, so that ``other_s`` is known to two.
    """
    import numpy as np

    samples: dict[int, list[Mapping[str, str]]] = defaultdict(list)
    for row in parse_cells(data):
        if row["part"] != "memory":  # at moments of its own
            samples[int(row["mono_ns"])].append(row)
    if not samples:
        return None
    usual = _usual_vcpus(samples.values())
    rows = [_sample(samples[moment], usual) for moment in sorted(samples)]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    reported = ~np.isnan(columns["other_s"])
    # ticks against nanoseconds: what only grows must not seem to fall
    columns["other_s"][reported] = np.maximum.accumulate(columns["other_s"][reported])
    return Totals(np.array(sorted(samples), dtype=np.float64), columns)


def _usual_vcpus(samples: Iterable[list[Mapping[str, str]]]) -> frozenset[str]:
    """Return the vCPUs that most samples tell of."""
    sets = Counter(vcpus for rows in samples if (vcpus := _vcpus(rows)))
    return max(sets, key=sets.__getitem__, default=frozenset())


def _vcpus(rows: list[Mapping[str, str]]) -> frozenset[str]:
    return frozenset(row["part"] for row in rows if row["part"].startswith("vcpu "))


def _sample(rows: list[Mapping[str, str]], usual: frozenset[str]) -> dict[str, float]:
    """Return the totals of one moment; those of other vCPUs than usual are no total of the same things."""
    whole = [row for row in rows if row["part"] == "guest"]
    vcpus = [row for row in rows if row["part"] in usual] if _vcpus(rows) == usual else []
    taps = [row for row in rows if row["part"].startswith("net ")]
    run_s = _sum(vcpus, "run_s")
    return {
        "vcpu_run_s": run_s,
        "vcpu_wait_s": _sum(vcpus, "wait_s"),
        "other_s": _sum(whole, "run_s") - run_s,
        "read_bytes": _sum(whole, "read_bytes"),
        "write_bytes": _sum(whole, "write_bytes"),
        "received_bytes": _sum(taps, "received_bytes"),
        "sent_bytes": _sum(taps, "sent_bytes"),
        **{name: _sum(whole, f"{name}_count") for name in EXITS},
    }


def _sum(rows: list[Mapping[str, str]], column: str) -> float:
    """Return the sum of a column; NaN where a row does not tell it, or there is none."""
    cells = [row.get(column, "") for row in rows]
    return sum(map(float, cells)) if cells and all(cells) else math.nan
