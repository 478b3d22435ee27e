"""Disk by fio: sequential write and read, then random 4 KiB reads, on one file and past the page cache.

One process with three jobs, each waiting for the one before (``stonewall``), so that they share the file
and never compete. The file is laid out before the clock starts (``overwrite=1`` makes fio write it whole),
hence blocks are rewritten, not allocated: the steady state of a disk rather than the growth of an image.

The engine is ``libaio`` with 16 requests under way: publications and clouds state their disks that way,
with ``psync`` there would be one request at a time and every figure would be the same round trip again.
``direct=1`` keeps the page cache of the arm out; whether the host's takes part is what the guest's disk
cache mode decides, and it is printed beside the figures.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.metric import Direction, Measurement, Metric
from assay.model.units import format_bytes
from assay.model.work.tool_output import Figure, ToolOutput
from assay.model.work.workload import Workload
from assay.workloads.document import Document, read_document
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import MIB, Sized, Sizes, fio_file_bytes

SECONDS = 2
"""Of each job."""
DEPTH = 16
SMALLEST_FILE_BYTES = DEPTH * MIB
"""So that the sequential jobs' requests of 1 MiB that are under way at once lie in different places."""
LAYOUT_BYTES_PER_S = 200e6
"""For the plan's expected time only: seen on a virtual disk."""


@dataclass(frozen=True)
class _Job:
    name: str
    direction: str
    options: tuple[str, ...]
    metric: Metric


_JOBS = (
    _Job("seq_write", "write", ("--rw=write", "--bs=1m"), Metric("seq_write", "MB/s", Direction.HIGHER)),
    _Job("seq_read", "read", ("--rw=read", "--bs=1m"), Metric("seq_read", "MB/s", Direction.HIGHER)),
    _Job(
        "rand_read_4k",
        "read",
        ("--rw=randread", "--bs=4k", "--norandommap=1"),
        Metric("rand_read_4k", "IOPS", Direction.HIGHER),
    ),
)
METRICS = tuple(job.metric for job in _JOBS)
_RATES = ("bw_bytes", "bw", "iops")


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; it leaves its file ``fio.dat`` in the scratch folder."""
    runtime, file = given.runtime_s or SECONDS, _file(sizes, given)
    seconds = len(_JOBS) * runtime + file.count / LAYOUT_BYTES_PER_S
    return Workload(
        name="fio",
        command=("fio", *_shared_options(runtime, file.count), *_job_options()),
        parser="fio",
        metrics=METRICS,
        program="fio",
        package="fio",
        seconds=seconds,
        time_limit_s=300.0 + 20 * file.count / LAYOUT_BYTES_PER_S + 2 * len(_JOBS) * runtime,
        file_bytes=file.count,
        note=f"{file.note}; libaio, {DEPTH} requests under way, direct",
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return MB/s (1 MB = 1,000,000 B) and IOPS of the three jobs from fio's JSON, versions 2 and 3.

    fio 2 has no ``bw_bytes``: its ``bw``, like that of fio 3, is in KiB/s. Jobs of one name are summed
    (``numjobs`` without group reporting).

    Raises:
        OutputError: no JSON, fio was stopped, a job ended with an error, is missing, moved nothing, or has no
            figure.
    """
    from assay.workloads.tools.fio.reader import refuse_stopped
    from assay.workloads.tools.fio.reports import read_report

    refuse_stopped(output.decode("utf-8-sig", "replace"))
    report = read_document(output, tool="fio")
    if not isinstance(report.at("jobs"), list):
        report.fail("expected a list 'jobs', got none (a report of fio's client mode has 'client_stats')")
    parsed = read_report(report)
    return tuple(Measurement(job.metric, _value(report, parsed, job)) for job in _JOBS)


def _file(sizes: Sizes, given: Parameters) -> Sized:
    if given.size_bytes is None:
        return fio_file_bytes(sizes)
    return Sized(given.size_bytes, f"file of {format_bytes(given.size_bytes)}, as the scene says")


def _shared_options(runtime: int, size: int) -> tuple[str, ...]:
    place = ("--filename={directory}/fio.dat", f"--size={size}", "--overwrite=1")
    access = ("--ioengine=libaio", f"--iodepth={DEPTH}", "--direct=1")
    return ("--output-format=json", *place, *access, "--time_based=1", f"--runtime={runtime}")


def _job_options() -> tuple[str, ...]:
    return tuple(word for job in _JOBS for word in (f"--name={job.name}", "--stonewall", *job.options))


def _value(report: Document, parsed: ToolOutput, job: _Job) -> float:
    jobs = list(
        dict.fromkeys(figure.labels["job"] for figure in parsed.measurements if "job" in figure.labels)
    )
    if job.name not in jobs:
        report.fail(f"expected a job '{job.name}', got {', '.join(jobs) or 'none'}")
    for figure in parsed.measurements:
        if _is_of(figure, job) and figure.metric in _RATES and not figure.comparable:
            report.fail(f"job '{job.name}' moved nothing: its {job.direction} has a runtime of 0")
    if job.metric.unit == "IOPS":
        return _sum(report, parsed, job, "iops")
    if any(figure.metric == "bw_bytes" and _is_of(figure, job) for figure in parsed.measurements):
        return _sum(report, parsed, job, "bw_bytes") / 1e6
    return _sum(report, parsed, job, "bw") * 1024 / 1e6


def _sum(report: Document, parsed: ToolOutput, job: _Job, metric: str) -> float:
    values = [
        figure.value for figure in parsed.measurements if figure.metric == metric and _is_of(figure, job)
    ]
    if not values:
        report.fail(f"expected a number at jobs: '{metric}' of {job.direction} of '{job.name}', got nothing")
    return sum(values)


def _is_of(figure: Figure, job: _Job) -> bool:
    return (figure.labels.get("job"), figure.labels.get("operation")) == (job.name, job.direction)
