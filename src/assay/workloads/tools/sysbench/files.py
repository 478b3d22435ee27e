"""Files by sysbench: one file read in order and at random, then written in order, past the page cache.

The file is made by ``sysbench fileio prepare`` before the clock starts. Writing comes last, for it begins by
emptying the file, and on a slow disk its time is over before all of it is there again: reading would fail
then. One thread, one request of 16 KiB at a time as by sysbench's own default; ``fio`` is for several at
once. A size that a scene gives is rounded down to whole requests: sysbench makes such a file otherwise, and
then fails to read it. ``--file-extra-flags=direct`` opens the file with O_DIRECT on both arms; a report that
does not say so is refused, since the page cache may have served it. What was written is waited for at the end
(fsync), in the time.

Limits: where the scratch folder can share blocks (XFS, btrfs), the trial's copy of the file does until it is
    written.
"""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric
from assay.model.units import format_bytes
from assay.model.work.tool_output import NOT_COMPARABLE, Figure
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import KIB, Sized, Sizes, fio_file_bytes

TOOL, NAME = "sysbench", "sysbench-fileio"
BLOCK_BYTES = 16 * KIB
SECONDS = 2
"""Of each of the three tests."""
WRITE = Metric("seq_write", "MB/s", Direction.HIGHER)
READ = Metric("seq_read", "MB/s", Direction.HIGHER)
RANDOM = Metric("rand_read", "IOPS", Direction.HIGHER)
METRICS = (WRITE, READ, RANDOM)
"""1 MB = 1,000,000 B."""
_TESTS = ((READ, ("read",)), (RANDOM, ("reads_per_s", "read_iops")), (WRITE, ("written",)))
"""Of each test, in the order in which they run: its metric, and sysbench's own word for its figure, by
version.
"""
RUN = 'for test in seqrd rndrd seqwr; do sysbench fileio "$@" --file-test-mode="$test" run || exit; done'
"""A constant: the options are its arguments."""
SLOWEST_BYTES_PER_S, GUESSED_BYTES_PER_S = 5e6, 200e6


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; its file lies in the scratch folder, where sysbench starts."""
    seconds, file = given.runtime_s or SECONDS, _file(sizes, given)
    place = ("--file-num=1", f"--file-total-size={file.count}", "--file-extra-flags=direct")
    run = ("--threads=1", f"--time={seconds}", "--events=0", "--file-fsync-freq=0")
    return Workload(
        name=NAME,
        command=("sh", "-c", RUN, TOOL, *place, *run),
        parser=NAME,
        metrics=METRICS,
        program=TOOL,
        package=TOOL,
        seconds=len(METRICS) * seconds,
        time_limit_s=300.0 + file.count / SLOWEST_BYTES_PER_S + 2 * len(METRICS) * seconds,
        file_bytes=file.count,
        note=f"{file.note}; direct, one thread, blocks of 16 KiB",
        prepare=((TOOL, "fileio", *place, "prepare"),),
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return MB/s written and read in order, and reads a second at random.

    Raises:
        OutputError: sysbench's own error, not the three tests in their order (reading in order, at random,
            writing), or figures that cannot be compared.
    """
    from assay.workloads.tools.sysbench.reader import read

    runs: list[list[Figure]] = [[] for _ in METRICS]
    for figure in read(output).measurements:
        number = figure.labels.get("run", "")
        if number not in map(str, range(1, len(METRICS) + 1)):
            raise OutputError(
                TOOL, None, f"expected {len(METRICS)} runs of sysbench fileio, got another number"
            )
        runs[int(number) - 1].append(figure)
    values = {
        metric.name: _value(run, names, metric) for run, (metric, names) in zip(runs, _TESTS, strict=True)
    }
    return tuple(Measurement(metric, values[metric.name]) for metric in METRICS)


def _file(sizes: Sizes, given: Parameters) -> Sized:
    if given.size_bytes is None:
        return fio_file_bytes(sizes)
    count = given.size_bytes // BLOCK_BYTES * BLOCK_BYTES
    cut = "" if count == given.size_bytes else f" ({format_bytes(given.size_bytes)}), in whole blocks"
    return Sized(count, f"file of {format_bytes(count)}, as the scene says{cut}")


def _value(run: list[Figure], names: tuple[str, ...], metric: Metric) -> float:
    figures = [figure for figure in run if figure.metric in names]
    if len(figures) != 1:
        raise OutputError(TOOL, None, f"expected one figure '{names[0]}' of its run, got {len(figures)}")
    (figure,) = figures
    if not figure.comparable:
        problem = f"'{metric.name}' cannot be compared: {figure.labels[NOT_COMPARABLE]}"
        raise OutputError(TOOL, None, problem)
    return figure.value * 2**20 / 1e6 if metric.unit == "MB/s" else figure.value
