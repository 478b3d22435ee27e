"""What a trial's job waited for: told by its own accounting, by its processors', else by the machine's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.trial import Usage
from assay.model.work.phase import PhaseTime
from assay.pages.budget import Source
from assay.probe import read_series
from assay.results.series.host_series import HostSeries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Series = Mapping[str, NDArray[np.float64]]


OF_JOB, OF_MACHINE = ("block_io_s", "run_queue_s"), ("machine_iowait_s", "machine_steal_s")
"""Columns of ``delay.csv`` and of ``samples.csv`` that tell of waits."""


@dataclass(frozen=True)
class Meters:
    """What the series of a trial tell of waits, read when it is asked for; what was told is kept, and of the
    series themselves those of the trial that was asked for last.

    Attributes:
        record: Folder of the trial's record.
    """

    record: Path
    _told: dict[tuple[str, str, int, int], float | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def most_cache(self) -> float | None:
        """Return the most page cache of the job, bytes, by ``memory.csv``; ``None`` is "not told"."""
        return self._most("memory.csv", "cache_bytes")

    @cached_property
    def most_cache_of_machine(self) -> float | None:
        """Return the most page cache of its machine, shared memory in it, bytes, by ``meminfo.csv``."""
        return self._most("meminfo.csv", "cached_bytes")

    @cached_property
    def most_buffers(self) -> float | None:
        """Return the most buffers of its machine, bytes: page cache of devices themselves, not of files."""
        return self._most("meminfo.csv", "buffers_bytes")

    def _most(self, file: str, column: str) -> float | None:
        held = read_series(self.record / file, (column,)).get(column)
        known = [] if held is None else [value for value in held.tolist() if not math.isnan(value)]
        return max(known, default=None)

    @cached_property
    def host(self) -> HostSeries:
        """What was sampled on a guest's host."""
        return HostSeries(self.record / "host")

    @cached_property
    def first_ns(self) -> int:
        """The monotonic clock at the first sample; 0 without any."""
        moments = _latest(self.record / "samples.csv", OF_MACHINE).get("mono_ns")
        return 0 if moments is None or not len(moments) else int(moments[0])

    def of_job(self, column: str, start_ns: int, end_ns: int) -> float | None:
        """Return what one of ``OF_JOB`` grew by between two moments; ``None`` is "not told"."""
        return self._grown("delay.csv", OF_JOB, column, (start_ns, end_ns))

    def of_machine(self, column: str, start_ns: int, end_ns: int) -> float | None:
        """Return what one of ``OF_MACHINE`` grew by between two moments; ``None`` is "not told"."""
        return self._grown("samples.csv", OF_MACHINE, column, (start_ns, end_ns))

    def _grown(
        self, name: str, columns: tuple[str, ...], column: str, span_ns: tuple[int, int]
    ) -> float | None:
        key = (name, column, *span_ns)
        if key not in self._told:
            self._told[key] = grown(_latest(self.record / name, columns), column, *span_ns)
        return self._told[key]


@dataclass(frozen=True)
class Waits:
    """Seconds of one time of a job; ``None`` is "not told".

    Attributes:
        block_io_s: Its threads waited for block I/O.
        run_queue_s: Its threads waited for a processor.
        io_wait_s: Its processors had nothing to do but wait for I/O.
        steal_s: A hypervisor took its processors away.
        machine: The last two are the whole machine's.
        idle_s: Its processors had nothing to do at all.
    """

    block_io_s: float | None = None
    run_queue_s: float | None = None
    io_wait_s: float | None = None
    steal_s: float | None = None
    machine: bool = False
    idle_s: float | None = None

    def without(self, parts: Sequence[Waits]) -> Waits:
        """Return what is left of the whole job's when those of its phases are taken off."""
        return Waits(
            _left(self.block_io_s, [part.block_io_s for part in parts]),
            _left(self.run_queue_s, [part.run_queue_s for part in parts]),
            _left(self.io_wait_s, [part.io_wait_s for part in parts]),
            _left(self.steal_s, [part.steal_s for part in parts]),
            idle_s=_left(self.idle_s, [part.idle_s for part in parts]),
        )

    def filled(self, meters: Meters, start_ns: int, end_ns: int) -> Waits:
        """Return the same with what a trial's series tell between two moments where it is not told."""
        block, queue = self.block_io_s, self.run_queue_s
        if block is None:
            block = meters.of_job("block_io_s", start_ns, end_ns)
        if queue is None:
            queue = meters.of_job("run_queue_s", start_ns, end_ns)
        if self.io_wait_s is not None:
            return replace(self, block_io_s=block, run_queue_s=queue)
        iowait = meters.of_machine("machine_iowait_s", start_ns, end_ns)
        return Waits(
            block, queue, iowait, meters.of_machine("machine_steal_s", start_ns, end_ns), machine=True
        )


def waits_of(reported: Usage | PhaseTime) -> Waits:
    """Return the waits that a record tells of a job or of a phase."""
    return Waits(
        reported.block_io_s,
        reported.run_queue_s,
        reported.io_wait_s,
        reported.steal_s,
        idle_s=reported.idle_s,
    )


def _left(whole: float | None, parts: Iterable[float | None]) -> float | None:
    """Return what parts leave of a whole, at least 0; ``None`` where one is not told."""
    known = list(parts)
    if whole is None or any(part is None for part in known):
        return None
    return max(0.0, whole - sum(part or 0.0 for part in known))


def io_source(waits: Sequence[Waits]) -> Source:
    """Return who tells of I/O wait in all of these times."""
    if all(wait.block_io_s is not None for wait in waits):
        return "job"
    if any(wait.io_wait_s is None for wait in waits):
        return "none"
    return "machine" if any(wait.machine for wait in waits) else "processors"


def queue_source(waits: Sequence[Waits], *, throttled: bool) -> Source:
    """Return who tells of waits for a processor; a quota's own count is the job's."""
    if throttled or all(wait.run_queue_s is not None for wait in waits):
        return "job"
    if any(wait.steal_s is None for wait in waits):
        return "none"
    return "machine" if any(wait.machine for wait in waits) else "processors"


def _latest(file: Path, columns: tuple[str, ...]) -> Series:
    """Return columns of a series; of one that has not changed since it was read last they are at hand."""
    try:
        now = file.stat()
    except OSError:
        return {}
    return _read(file, columns, (now.st_mtime_ns, now.st_size))


@lru_cache(maxsize=2)
def _read(file: Path, columns: tuple[str, ...], _changed: tuple[int, int]) -> Series:
    return read_series(file, columns)


def grown(series: Series, column: str, start_ns: int, end_ns: int) -> float | None:
    """Return what a cumulative column grew by between two moments, at least 0.

    Limits:
        Between two samples it is taken to grow evenly.
    """
    if column not in series or "mono_ns" not in series:
        return None
    import numpy as np

    moments, totals = series["mono_ns"], series[column]
    known = ~np.isnan(totals)
    if known.sum() < 2:
        return None
    first, last = np.interp([start_ns, end_ns], moments[known], totals[known])
    return max(0.0, float(last - first))
