"""The probe's own small kernels, whose reports share one shape: arithmetic, paths, latencies, files.

What each does, by whose rules and with what statistic: ``docs/kernels.md``. They are ours, never the tools
whose rules they follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from assay.model.metric import Direction, Measurement, Metric
from assay.model.units import format_bytes
from assay.model.work.phase import Mark, PhaseRules
from assay.model.work.workload import Workload
from assay.workloads.document import Document, read_document
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import MIB, Sizes

SECONDS = 2
"""Of the timed kernels, as the probe's own default."""
LATENCY_CACHES = 4
"""The largest working set in last-level caches, as for STREAM's arrays: nearly all loads come from memory."""
LATENCY_SMALLEST_BYTES = 64 * MIB
"""Where the cache is small or not known."""
LATENCY_MEMORY_SHARE = 0.5
FILE_BYTES = 64 * MIB
INIT_BYTES = 64 * MIB
"""Tables that a two-phase job of given events fills first: about 50 ms, so that its fixed cost
can be seen.
"""
INIT_S, EVENT_S = 0.05, 0.001
"""For the plan's expected time only: seen on a processor of 2023."""


def _lower(unit: str, *names: str) -> tuple[Metric, ...]:
    return tuple(Metric(name, unit, Direction.LOWER) for name in names)


def _higher(unit: str, *names: str) -> tuple[Metric, ...]:
    return tuple(Metric(name, unit, Direction.HIGHER) for name in names)


_RINGS = tuple(f"switch_{processes}p_{size}" for size in ("0_KiB", "16_KiB") for processes in (2, 8, 16))
_FILES = ("write", "rewrite", "read", "reread", "random_read", "random_write", "stride_read")

METRICS: Mapping[str, tuple[Metric, ...]] = MappingProxyType(
    {
        "integer": _higher("Mop/s", "integer"),
        "astar": _higher("searches/s", "searches_per_s"),
        "latency": _lower("ns", "load_16_KiB", "load_256_KiB", "load_4_MiB", "load_largest"),
        "syscall": _lower("ns", "null_call", "read", "write", "stat", "open_close"),
        "context-switch": _lower("us", *_RINGS),
        "fork": _lower("us", "fork_exit", "fork_exec"),
        "page-fault": _lower("ns", "memory_fault", "file_fault"),
        "mmap": _lower("us", "map_64_KiB", "map_1_MiB", "map_16_MiB"),
        "files": _higher("MB/s", *_FILES),
        "two-phase": _higher("events/s", "events_per_s"),
    }
)
"""What each kernel yields with the options that its workload gives it, in the order shown."""

TWO_PHASES = PhaseRules(marks=(Mark("event-loop", "^event loop begins"),))
"""Of the two-phase job, by its log: its initialization and its events are figures of their own."""


def workload(name: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload of a kernel; what it writes lies in the scratch folder."""
    options, note = _options(name, sizes, given)
    seconds = _seconds(given)
    return Workload(
        name=name,
        command=("{probe}", "kernel", name, *options),
        parser=name,
        metrics=METRICS[name],
        seconds=seconds,
        time_limit_s=600.0 + 2 * seconds,
        note=note,
        phases=TWO_PHASES if name == "two-phase" else None,
    )


def parse(name: str, output: bytes) -> tuple[Measurement, ...]:
    """Return the figures of the report of a kernel of ``METRICS``; see ``read_report``."""
    return read_report(name, METRICS[name], output)


def read_report(name: str, metrics: Sequence[Metric], output: bytes) -> tuple[Measurement, ...]:
    """Return the figures of a kernel's report; ``null`` in it is "not measured".

    Raises:
        OutputError: not that kernel's report, a figure is missing, in another unit or no number.
    """
    report = read_document(output, tool=f"the {name} kernel")
    if report.at("kernel") != name:
        report.fail(f"expected the report of kernel '{name}', got '{report.at('kernel')}'")
    places = _places(report)
    return tuple(Measurement(metric, _value(report, places, metric)) for metric in metrics)


def disk_bytes(workload: Workload) -> tuple[int, int]:
    """Return what is prepared, nothing, and the file that each copy of the kernel ``files`` writes."""
    del workload
    return 0, FILE_BYTES


def _options(name: str, sizes: Sizes, given: Parameters) -> tuple[tuple[str, ...], str]:
    if name in ("integer", "astar"):
        return ("--seconds", str(given.runtime_s or SECONDS), "--threads", str(sizes.cpus)), ""
    if name == "latency":
        largest = _latency_bytes(sizes)
        return ("--max-bytes", str(largest)), f"the largest working set is {format_bytes(largest)}"
    if name == "files":
        note = f"file of {format_bytes(FILE_BYTES)} through the page cache, writes with fsync"
        return ("--directory", "{directory}", "--bytes", str(FILE_BYTES)), note
    if name == "two-phase" and given.events is not None:
        options = (
            "--directory",
            "{directory}",
            "--init-bytes",
            str(INIT_BYTES),
            "--events",
            str(given.events),
        )
        return options, ""
    if name in ("page-fault", "mmap", "two-phase"):
        return ("--directory", "{directory}"), ""
    return (), ""


def _seconds(given: Parameters) -> float:
    if given.events is not None:
        return INIT_S + EVENT_S * given.events
    return float(given.runtime_s or SECONDS)


def _latency_bytes(sizes: Sizes) -> int:
    wanted = max(LATENCY_CACHES * (sizes.cache_bytes or 0), LATENCY_SMALLEST_BYTES)
    fits = int(sizes.memory_bytes * LATENCY_MEMORY_SHARE)
    return max(min(wanted, fits) // MIB, 8) * MIB


def _places(report: Document) -> dict[object, int]:
    metrics = report.at("metrics")
    count = len(metrics) if isinstance(metrics, list) else 0
    return {report.at("metrics", index, "name"): index for index in range(count)}


def _value(report: Document, places: dict[object, int], metric: Metric) -> float | None:
    if (index := places.get(metric.name)) is None:
        report.fail(f"expected a figure '{metric.name}', got none")
    if (unit := report.at("metrics", index, "unit")) != metric.unit:
        report.fail(f"expected '{metric.name}' in {metric.unit}, got '{unit}'")
    figure = report.at("metrics", index)
    if isinstance(figure, dict) and "value" in figure and figure["value"] is None:
        return None
    return report.number("metrics", index, "value")
