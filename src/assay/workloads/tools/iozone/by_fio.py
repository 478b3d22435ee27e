"""A stand-in for IOzone's seven operations: fio does them, one request at a time, past the page cache.

It is fio and not IOzone: the operations and their order, sizes and strides are those of the workload
``iozone``; how requests are issued and timed is fio's. The first job writes into blocks that the file did not
have, as IOzone's write does; strides go over the same records again until as much as the file has been read,
where IOzone begins a record further each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.metric import Measurement
from assay.model.units import format_bytes
from assay.model.work.tool_output import Figure
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes
from assay.workloads.tools.iozone.definition import (
    GUESSED_BYTES_PER_S,
    METRICS,
    RECORD_BYTES,
    SLOWEST_BYTES_PER_S,
    STRIDE,
    file_of,
)

NAME, TOOL = "iozone-by-fio", "fio"
_JOBS = (
    ("write", "write"),
    ("rewrite", "write"),
    ("read", "read"),
    ("reread", "read"),
    ("random_read", "randread"),
    ("random_write", "randwrite"),
)
"""Operation, and fio's word for it; strides have a word of their own."""


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; it leaves its file ``iozone-by-fio.dat`` in the scratch folder."""
    file, record = file_of(sizes, given), given.record_bytes or RECORD_BYTES
    skipped = (STRIDE - 1) * record // 1024
    jobs = (*_JOBS, ("stride_read", f"read:{skipped}k"))
    words = tuple(word for name, way in jobs for word in (f"--name={name}", "--stonewall", f"--rw={way}"))
    again = f"--loops={STRIDE}"  # one pass moves so little that fio's whole milliseconds would be measured
    shared = ("--filename={directory}/iozone-by-fio.dat", f"--size={file.count}", f"--bs={record}")
    access = ("--ioengine=psync", "--direct=1", "--fallocate=none", "--overwrite=0", "--end_fsync=0")
    return Workload(
        name=NAME,
        command=("fio", "--output-format=json", *shared, *access, *words, again),
        parser=NAME,
        metrics=METRICS,
        program="fio",
        package="fio",
        seconds=len(METRICS) * file.count / GUESSED_BYTES_PER_S,
        time_limit_s=300.0 + len(METRICS) * file.count / SLOWEST_BYTES_PER_S,
        file_bytes=file.count,
        record_bytes=record,
        note=(
            f"a stand-in for IOzone: fio's psync, direct; {file.note}; records of {format_bytes(record)}, "
            f"strides of {STRIDE} records"
        ),
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return MB/s of the seven jobs.

    Raises:
        OutputError: no report of fio, a job ended with an error, is missing or moved nothing.
    """
    from assay.workloads.tools.fio import reader

    rates = [figure for figure in reader.read(output).measurements if figure.metric == "bw_bytes"]
    return tuple(Measurement(metric, _rate(metric.name, rates)) for metric in METRICS)


def _rate(job: str, rates: Sequence[Figure]) -> float:
    way = "write" if job.endswith("write") else "read"
    wanted = {"job": job, "operation": way}
    matching = [figure for figure in rates if wanted.items() <= figure.labels.items() and figure.value > 0]
    if len(matching) != 1:
        raise OutputError(TOOL, None, f"expected one job '{job}' that moved something, got {len(matching)}")
    return matching[0].value / 1e6
