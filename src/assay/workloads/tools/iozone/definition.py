"""IOzone's seven operations on one file, past the page cache: write, rewrite, read, reread, random, strides.

The tool is not free: it runs where it is installed and is never part of anything here. ``-I`` opens the file
with O_DIRECT on both arms, since what IOzone measures otherwise is the page cache: a file of 64 MB is read at
7 GB/s from it. A run moves the whole file by each operation, so its length follows from the size, not from a
clock.
"""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric
from assay.model.units import BYTES, format_bytes
from assay.model.work.tool_output import NOT_COMPARABLE, Figure
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sized, Sizes, fio_file_bytes

TOOL = "iozone"
OPERATIONS = ("write", "rewrite", "read", "reread", "random_read", "random_write", "stride_read")
METRICS = tuple(Metric(name, "MB/s", Direction.HIGHER) for name in OPERATIONS)
"""1 MB = 1,000,000 B."""
RECORD_BYTES = 64 * BYTES["KiB"]
STRIDE = 17
"""Records from the start of one to that of the next, as IOzone's own default."""
_TESTS = ("0", "1", "2", "5")
"""Its numbers of write and rewrite, read and reread, random, strides."""
SLOWEST_BYTES_PER_S = 5e6
"""Of 4 KiB records on a slow virtual disk, for the time limit."""
GUESSED_BYTES_PER_S = 200e6


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; it leaves nothing in the scratch folder."""
    file, record = file_of(sizes, given), given.record_bytes or RECORD_BYTES
    size = ("-s", f"{file.count // 1024}k", "-r", f"{record // 1024}k", "-j", str(STRIDE))
    tests = tuple(word for test in _TESTS for word in ("-i", test))
    return Workload(
        name="iozone",
        command=("iozone", "-I", *size, *tests, "-f", "{directory}/iozone.dat"),
        parser="iozone",
        metrics=METRICS,
        program="iozone",
        package="iozone3",
        seconds=len(OPERATIONS) * file.count / GUESSED_BYTES_PER_S,
        time_limit_s=300.0 + len(OPERATIONS) * file.count / SLOWEST_BYTES_PER_S,
        file_bytes=file.count,
        record_bytes=record,
        note=f"{file.note}; direct, records of {format_bytes(record)}",
    )


def file_of(sizes: Sizes, given: Parameters) -> Sized:
    """Return the size of the file: the scene's, or an eighth of the memory as for fio."""
    if given.size_bytes is None:
        return fio_file_bytes(sizes)
    return Sized(given.size_bytes, f"file of {format_bytes(given.size_bytes)}, as the scene says")


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return MB/s of the seven operations; what iozone could not time has no value.

    Raises:
        OutputError: iozone's own error, an operation that was not run, or one that may come from the page
            cache.
    """
    from assay.workloads.tools.iozone import reader

    known = {figure.metric: figure for figure in reader.read(output).measurements}
    return tuple(Measurement(metric, _value(metric, known.get(metric.name))) for metric in METRICS)


def _value(metric: Metric, figure: Figure | None) -> float | None:
    if figure is None:
        raise OutputError(TOOL, None, f"expected a figure '{metric.name}', got none")
    if figure.value == 0:
        return None
    if not figure.comparable:
        problem = f"'{metric.name}' cannot be compared: {figure.labels[NOT_COMPARABLE]}"
        raise OutputError(TOOL, None, problem)
    return figure.value * 1024 / 1e6
