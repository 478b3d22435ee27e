"""prmon: ``prmon.txt`` (a row a sample) and ``prmon.json`` (``Max`` and ``Avg``).

``Max`` is the peak of memory and counts, and the total of time, I/O and network. prmon 3.0.0 to 3.3.0 writes
``Avg`` of I/O and network a hundred times too high (it multiplies by the kernel's ticks a second): kept as
written, and not to be compared.

Source: https://github.com/HSF/prmon (``wallmon.cpp``, ``cpumon.cpp``, ``memmon.cpp``, ``iomon.cpp``,
    ``netmon.cpp``, ``countmon.cpp``, ``nvidiamon.cpp``, ``cgroupmon.h``, ``prmon.cpp``), and its README.
Limits: the columns' order differs from build to build, so that they are read by the heading. ``HW`` is a
    description of the machine and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, ToolOutput
from assay.workloads.document import Document, read_document
from assay.workloads.outputs.numbered import Line, because, numbered, refuse_cut

TOOL = "prmon"
_BYTES = ("rchar", "wchar", "read_bytes", "write_bytes", "rx_bytes", "tx_bytes")
_PACKETS = ("rx_packets", "tx_packets")
RATES = frozenset((*_BYTES, *_PACKETS, "cgroup_io_read", "cgroup_io_write"))
UNITS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("wtime", "utime", "stime"), "s")
    | dict.fromkeys(("vmem", "pss", "rss", "swap", "gpufbmem"), "kB")
    | dict.fromkeys(_BYTES, "B")
    | dict.fromkeys((*_PACKETS, "nprocs", "nthreads", "ngpus"), "1")
    | dict.fromkeys(("gpusmpct", "gpumempct"), "%")
    | {"wtime_ms": "ms", "stime_ms": "ms", "utime_ms": "ms", "minflt": "1", "majflt": "1"}
    | {"machine_steal_ms": "ms", "machine_iowait_ms": "ms"}
    | {f"cgroup_cpu_{name}": "us" for name in ("user", "system", "total", "throttled")}
    | {f"cgroup_mem_{name}": "kB" for name in ("current", "max", "anon", "file", "kernel")}
    | dict.fromkeys(("cgroup_io_read", "cgroup_io_write"), "B")
    | dict.fromkeys(("cgroup_cpu_periods", "cgroup_nprocs", "cgroup_nthreads"), "1")
)
"""prmon's columns, those of its monitor of control groups (after 3.3.0), and those that ``assay-probe prmon``
adds.
"""
HUNDREDFOLD = "prmon 3.0.0 to 3.3.0 writes averages of I/O and network a hundred times too high"

_LOWER = frozenset({"wtime", "utime", "stime", "vmem", "pss", "rss", "swap", "majflt", "machine_steal_ms"})
_TIMES = ("Time", "time_ns")
"""When a sample was taken: what tells it from the others."""
_SKIPPED = frozenset({"HW", "Units", "prmon", "probe"})


def read(output: bytes) -> ToolOutput:
    """Return the figures of either file.

    Raises:
        OutputError: neither, a column that is not known, a row that is cut.
    """
    return _read_summary(output) if output.lstrip()[:1] == b"{" else _read_table(output)


def _read_table(output: bytes) -> ToolOutput:
    lines = [line for line in numbered(output, tool=TOOL) if line.text.strip()]
    names = lines[0].text.split()
    if "Time" not in names or "wtime" not in names:
        lines[0].fail(f"expected prmon's heading with 'Time' and 'wtime', got '{lines[0].text:.60}'")
    for name in names:
        if name not in _TIMES and name not in UNITS:
            lines[0].fail(f"expected a column of prmon, got '{name:.40}'")
    refuse_cut(output, tool=TOOL)
    if len(lines) == 1:
        lines[0].fail("expected a sample under the heading, got none")
    figures = [figure for line in lines[1:] for figure in _row(line, names)]
    return ToolOutput(TOOL, None, tuple(figures))


def _row(line: Line, names: list[str]) -> list[Figure]:
    words = line.text.split()
    if len(words) != len(names):
        line.fail(f"expected {len(names)} cells, got {len(words)}")
    pairs = list(zip(names, words, strict=True))
    labels = {name.lower(): word for name, word in pairs if name in _TIMES}
    return [
        Figure(name, line.value(word), UNITS[name], None, labels)
        for name, word in pairs
        if name not in _TIMES
    ]


def _figure(name: str, value: float, unit: str, labels: Mapping[str, str]) -> Figure:
    return Figure(name, value, unit, Direction.LOWER if name in _LOWER else None, labels)


def _read_summary(output: bytes) -> ToolOutput:
    document = read_document(output, tool=TOOL)
    for key in document.content:
        if key not in _SKIPPED | {"Max", "Avg"}:
            document.fail(f"expected prmon's 'Max' and 'Avg', got '{key:.40}'")
    version = document.at("prmon", "Version")
    reported = version if isinstance(version, str) else None
    figures = (*_summarised(document, "Max", reported), *_summarised(document, "Avg", reported))
    if not figures:
        document.fail("expected figures in 'Max', got none")
    return ToolOutput(TOOL, reported, figures)


def _summarised(document: Document, statistic: str, version: str | None) -> tuple[Figure, ...]:
    values = document.at(statistic)
    if not isinstance(values, dict):
        document.fail(f"expected '{statistic}', got none")
    hundredfold = statistic == "Avg" and _is_hundredfold(version)
    return tuple(
        _figure(
            name,
            document.number(statistic, name),
            _unit(document, statistic, name),
            because(HUNDREDFOLD if hundredfold and name in RATES else None, {"statistic": statistic.lower()}),
        )
        for name in values
    )


def _is_hundredfold(version: str | None) -> bool:
    match = re.fullmatch(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})", version or "")
    return match is not None and (3, 0, 0) <= tuple(map(int, match.groups())) <= (3, 3, 0)


def _unit(document: Document, statistic: str, name: str) -> str:
    reported = document.at("Units", statistic, name)
    if isinstance(reported, str):
        return reported
    if name not in UNITS:
        document.fail(f"expected a figure of prmon, got '{name:.40}'")
    return f"{UNITS[name]}/s" if statistic == "Avg" and name in RATES else UNITS[name]
