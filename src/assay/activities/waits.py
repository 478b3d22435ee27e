"""What the threads of a trial's job waited for: told by the job's own accounting, else by the machine's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.probe import parse_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Series = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Meters:
    """The series of a trial that tell of waits; empty where there is no such file.

    Attributes:
        delay: ``delay.csv``, of the job.
        machine: ``samples.csv``, whose machine columns count the whole machine.
    """

    delay: Series
    machine: Series

    @property
    def first_ns(self) -> int:
        """The monotonic clock at the first sample; 0 without any."""
        moments = self.machine.get("mono_ns")
        return 0 if moments is None or not len(moments) else int(moments[0])

    def of_job(self, column: str, start_ns: int, end_ns: int) -> float | None:
        """Return what a column of ``delay.csv`` grew by between two moments; ``None`` is "not told"."""
        return grown(self.delay, column, start_ns, end_ns)

    def of_machine(self, column: str, start_ns: int, end_ns: int) -> float | None:
        """Return what a column of ``samples.csv`` grew by between two moments; ``None`` is "not told"."""
        return grown(self.machine, column, start_ns, end_ns)


def read_meters(record: Path) -> Meters:
    """Read the series of a trial's record that tell of waits."""
    return Meters(_series(record / "delay.csv"), _series(record / "samples.csv"))


def _series(file: Path) -> Series:
    return parse_series(file.read_bytes()) if file.is_file() else {}


def grown(series: Series, column: str, start_ns: int, end_ns: int) -> float | None:
    """Return what a cumulative column grew by between two moments, at least 0.

    Limits:
        Between two samples it is taken to grow evenly.
    """
    if column not in series:
        return None
    import numpy as np

    moments, totals = series["mono_ns"], series[column]
    known = ~np.isnan(totals)
    if known.sum() < 2:
        return None
    first, last = np.interp([start_ns, end_ns], moments[known], totals[known])
    return max(0.0, float(last - first))
