"""The extracts of series that the sanity checks need, one a trial."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.explain.sanity import LoopSampled, Sampled, flat_rate
from assay.model.trial import Trial
from assay.probe import parse_cells, read_series
from assay.results.series.disk_seen import disk_of
from assay.results.series.disks import busiest_disk
from assay.results.series.host_series import HostSeries
from assay.results.series.host_track import vcpu_wait
from assay.results.series.loop_window import loop_span_s, with_core
from assay.results.series.waits import Meters
from assay.stats.rates import between_known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Columns = Mapping[str, NDArray[np.float64]]


READ, WRITTEN = IO = ("job_read_bytes", "job_write_bytes")
IN_LOOP = ("job_user_s", "job_system_s", READ, WRITTEN)
"""Columns of ``samples.csv`` that tell of an event loop."""
FURTHER = {
    "memory": ("swap_bytes",),
    "vmstat": ("pswpin", "pswpout"),
    "frequency": (
        "cpu", "core_throttles_count", "package_throttles_count", "core_throttled_s", "package_throttled_s",
    ),
}  # fmt: skip
"""Columns of further groups."""


def read_sampled(records: Iterable[Trial], folder: Path) -> dict[str, Sampled]:
    """Return what was sampled of each trial that has any series, by the name of the trial; the series of one
    trial at a time are in memory.

    Args:
        records: The records of the trials.
        folder: The activity's folder.
    """
    disk = cache(partial(disk_of, folder))
    places = ((record, folder / "trials" / record.planned.name) for record in records)
    return {
        record.planned.name: replace(_sampled(record, place), disk=disk(record.boot))
        for record, place in places
        if (place / "samples.csv").is_file()
    }


def _sampled(record: Trial, place: Path) -> Sampled:
    span = loop_span_s(record)
    core = _with_whole_io(read_series(place / "samples.csv", (WRITTEN,) if span is None else IN_LOOP))
    memory, machine, clocks = (read_series(place / f"{name}.csv", of) for name, of in FURTHER.items())
    disks = place / "disks.csv"
    rows = parse_cells(disks.read_bytes()) if disks.is_file() else ()
    busy_share, latency_s = busiest_disk(rows)
    return Sampled(
        write_rate=_steady(core, WRITTEN),
        swap_bytes=_whole(_largest(memory, "swap_bytes")),
        swapped_pages=_whole(_sum(_grown(machine, "pswpin"), _grown(machine, "pswpout"))),
        heat_count=_whole(_most(clocks, "core_throttles_count", "package_throttles_count")),
        heat_s=_most(clocks, "core_throttled_s", "package_throttled_s"),
        disk_busy_share=busy_share,
        disk_latency_s=latency_s,
        vcpu_wait_s=vcpu_wait(record, HostSeries(place / "host")),
        loop=None if span is None else with_core(_in_loop(span, rows, Meters(place)), core, span),
    )


def _in_loop(span: tuple[float, float], rows: Sequence[Mapping[str, str]], meters: Meters) -> LoopSampled:
    """Return what the disks' series and that of waits tell of the event loop."""
    start_ns, end_ns = (round(moment * 1e9) for moment in span)
    return LoopSampled(
        *busiest_disk(rows, span),
        run_queue_s=meters.of_job("run_queue_s", start_ns, end_ns),
        block_io_s=meters.of_job("block_io_s", start_ns, end_ns),
    )


def _steady(core: Columns, name: str) -> float | None:
    """Return the rate of a total where it is constant; ``None`` where it is not, or not told."""
    moments, totals = core.get("mono_ns"), core.get(name)
    return None if moments is None or totals is None else flat_rate(moments / 1e9, totals)


def _with_whole_io(core: Columns) -> Columns:
    """Return columns with I/O at each sample: the probe reads that of many processes in some of them only."""
    return {
        name: between_known(core["mono_ns"], totals) if name in IO else totals
        for name, totals in core.items()
    }


def _largest(columns: Columns, name: str) -> float | None:
    import numpy as np

    values = columns.get(name)
    return None if values is None or np.isnan(values).all() else float(np.nanmax(values))


def _grown(columns: Columns, name: str) -> float | None:
    """Return what a total grew by from the first sample to the last."""
    values = columns.get(name)
    if values is None or len(values) < 2 or math.isnan(values[-1] - values[0]):
        return None
    return float(values[-1] - values[0])


def _most(columns: Columns, *names: str) -> float | None:
    """Return the largest growth of some totals that each processor has of its own."""
    cpus = columns.get("cpu")
    if cpus is None:
        return None
    rows = [{name: values[cpus == cpu] for name, values in columns.items()} for cpu in set(cpus.tolist())]
    growths = [grown for row in rows for name in names if (grown := _grown(row, name)) is not None]
    return max(growths, default=None)


def _sum(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
