"""Bonnie++ through the page cache, by its rule: a file of twice the memory.

Rates of single bytes, of blocks written, rewritten and read, and random seeks of five processes; of each the
longest time that one operation took, which versions before 1.96 do not tell. A guest and
its baseline have the same memory, so the rule holds on both; where the file is smaller, blocks come from the
page cache and the result has the doubt ``size-rule``. Where a scene limits the memory of one arm alone, the
file is sized for that arm, and the doubt ``cached-reads`` tells what the other's page cache served. A test
that took less than half a second has no rate (``+++++``), and its metric no value; its latency has one.

With a record (its chunk size) blocks and seeks alone are measured: what single bytes cost does not depend on
it, and takes long.
"""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric
from assay.model.units import format_bytes
from assay.model.work.tool_output import Figure
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import KIB, MIB, Sizes, bonnie_file_bytes

TOOL = "bonnie++"
TESTS = ("putc", "put_block", "rewrite", "getc", "get_block", "seeks")
OF_BYTES = ("putc", "getc")
LATENCY, LATENCY_UNITS_MS = "_latency", {"us": 1e-3, "ms": 1.0, "s": 1e3}
METRICS = (
    *(Metric(name, "MB/s", Direction.HIGHER) for name in TESTS[:-1]),
    Metric(TESTS[-1], "1/s", Direction.HIGHER),
    *(Metric(f"{name}{LATENCY}", "ms", Direction.LOWER) for name in TESTS),
)
"""1 MB = 1,000,000 B."""
BYTE_METRICS = tuple(metric for metric in METRICS if metric.name.removesuffix(LATENCY) in OF_BYTES)
BLOCK_METRICS = tuple(metric for metric in METRICS if metric not in BYTE_METRICS)
"""What depends on the chunk size."""
CHUNK_BYTES, LARGEST_CHUNK_BYTES = 8 * KIB, MIB
"""Its own chunk size, and the largest; each is a power of two. Source: bonnie++(8), "-s"."""
RUN = 'exec bonnie++ -q -d "$1" -s "$2" $3 -n 0 -r 0 -m assay -u "$(id -u)"'
"""A constant: folder, size and whether single bytes are left out are its arguments. Root has to name a user,
and a plain user may name itself alone. ``-r 0`` leaves the rule of the size to us: bonnie++ would refuse to
run, or look at the machine's memory, not the arm's.
"""
PASSES = 4
"""The file is written, read and written again, and read."""
SEEKS = 8192
"""Each reads one record: with records of 1 MiB they move 8 GiB. Source: bonnie++(8), "-s"."""
GUESSED_BYTES_PER_S, SLOWEST_BYTES_PER_S = 200e6, 20e6


def fault(given: Parameters) -> tuple[str, str] | None:
    """Return what bonnie++ refuses to move at once."""
    size = given.record_bytes
    if not size or (not size & (size - 1) and size <= LARGEST_CHUNK_BYTES):
        return None
    expected = "a power of two from 4 KiB to 1 MiB, which bonnie++ asks for"
    return "record", f"expected {expected}, got {format_bytes(size)}"


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; bonnie++ removes its files."""
    file, chunk = bonnie_file_bytes(sizes, given.size_bytes), given.record_bytes
    size = str(file.count // MIB)
    moved = PASSES * file.count + SEEKS * (chunk or CHUNK_BYTES)
    reported = (size, "") if chunk is None else (f"{size}:{chunk}", "-f")
    return Workload(
        name="bonnie++",
        command=("sh", "-c", RUN, "bonnie++", "{directory}", *reported),
        parser="bonnie++",
        metrics=METRICS if chunk is None else BLOCK_METRICS,
        program="bonnie++",
        package="bonnie++",
        seconds=10.0 + moved / GUESSED_BYTES_PER_S,
        time_limit_s=300.0 + moved / SLOWEST_BYTES_PER_S,
        file_bytes=file.count,
        record_bytes=chunk or CHUNK_BYTES,
        note=file.note
        if chunk is None
        else f"{file.note}; records of {format_bytes(chunk)}, no single bytes",
        rule_met=file.rule_met,
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return MB/s, seeks a second and latencies of one run, without single bytes where it was told to leave
    both out.

    Raises:
        OutputError: not a run of bonnie++, several, or a test that was not run.
    """
    from assay.workloads.tools.bonnie import reader

    # the rule of the size was ours to keep, and its breach is a doubt of the result
    report = reader.read(output, memory_bytes=0)
    if any("run" in figure.labels for figure in report.measurements):
        raise OutputError(TOOL, None, "expected one run, got several")
    known = {figure.metric: figure for figure in report.measurements}
    short = {refused.metric for refused in report.refused}
    whole = {*known, *short}.intersection(OF_BYTES)
    metrics = METRICS if whole else BLOCK_METRICS
    return tuple(Measurement(metric, _value(metric, known, short)) for metric in metrics)


def _value(metric: Metric, known: dict[str, Figure], short: set[str]) -> float | None:
    if metric.name in short:
        return None
    if (figure := known.get(metric.name)) is None:
        if metric.name.endswith(LATENCY):
            return None  # Bonnie++ 1.03 tells none
        raise OutputError(TOOL, None, f"expected a figure '{metric.name}', got none")
    if metric.name.endswith(LATENCY):
        return figure.value * LATENCY_UNITS_MS[figure.unit]
    return figure.value * 1024 / 1e6 if metric.unit == "MB/s" else figure.value
