"""sysbench: the text of versions 0.4, 0.5, 1.0 and 1.1; cpu, memory, fileio, threads, mutex and the SQL
tests.

What versions call by different words and mean alike has one name: ``latency_min`` is also 0.4's per-request
statistics and 0.5's response time. ``Mb`` and ``MB`` of 0.4 and 0.5 are 1024 * 1024 bytes and stand as MiB;
1.1 prints MB/s of 1,000,000 bytes beside MiB/s, as ``read_megabytes`` and ``written_megabytes``. Labels:
``percentile``; ``operation`` of SQL queries; ``at``, the second of a line of ``--report-interval``;
``checkpoint`` of ``--report-checkpoints`` (``end`` is the last part); ``value_ms`` of the histogram.

A test of files whose flags do not say ``direct`` is not comparable; ``prepare`` is: it waits for the disk.

Limits: lines of ``--debug`` are passed over, and all before "Threads started!" but errors: it says the
    options.

Source: ``sysbench.c``, ``db_driver.c``, ``tests/*/sb_*.c`` of 0.4.12, 0.5, 1.0.20 and 1.1.0.
"""

from __future__ import annotations

import re

from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.document import first_words
from assay.workloads.errors import OutputError
from assay.workloads.outputs.marks import marked
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.whole import joined
from assay.workloads.tools.sysbench.lines import ReportedLine, reported_lines
from assay.workloads.tools.sysbench.words import FILEIO, TOOL

_VERSION = re.compile(r"^sysbench v?(\d[^\s:]*)", re.MULTILINE)
_ERROR = re.compile(r"\s*(?:FATAL:|Fatal error|ERROR:).*", re.IGNORECASE)
_CLEANUP = re.compile(r"^sysbench \S.*\n\s*+Removing test files\.\.\.\s*\Z", re.MULTILINE)
"""All that ``fileio cleanup`` says."""
_STARTED = "Threads started!"
_LAST = "threads_fairness_execution_time_stddev"
_LAST_OF_FILEIO_1_1 = {"read_iops", "latency_sum"}
_OF_FILES = frozenset(one.metric for _, fields in FILEIO for one in fields if one.direction is not None)
_FILES_ALONE = frozenset({"reads_per_s", "read_iops", "operations_performed"})
"""What a test of files alone tells."""
_FLAGS = re.compile(r"^[ \t]*Extra file open flags:(.*)$", re.MULTILINE)
_DIGITS = 20
_DIRECT = 0o240000
"""O_DIRECT of x86 and of ARM, in the number that 0.4 and 0.5 print."""
NONE_DONE = "the test did none of it"
CACHED = (
    "the page cache may have served it: the flags of its files do not say direct (--file-extra-flags=direct)"
)
_WHOLE = {"prepare_bytes"}


def read(output: bytes) -> ToolOutput:
    """Return all figures of a run, or of ``fileio prepare``; of several the label ``run`` tells which.

    Raises:
        OutputError: sysbench's own error, no report of it, a line that is not known, or a report that is cut
            off.
    """
    result = joined([_run(text) for text in _runs(output.decode("utf-8-sig", "replace"))])
    refuse_cut(output, tool=TOOL)
    return result


def _runs(text: str) -> list[str]:
    """Return the text of each run behind as many line ends as there are lines before it."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if _VERSION.match(line)][1:]
    runs = [
        "\n" * start + "".join(f"{line}\n" for line in lines[start:end])
        for start, end in zip((0, *starts), (*starts, len(lines)), strict=True)
    ]
    return [run for run in runs if len(runs) == 1 or _CLEANUP.search(run) is None]


def _run(text: str) -> ToolOutput:
    reported = read_lines(text)
    if not reported:
        first = len(text) - len(text.lstrip("\n")) + 1 if text.strip() else 1
        raise OutputError(TOOL, first, f"expected a report of sysbench, got {first_words(text)}")
    metrics = {entry.metric for entry in (one.entry for one in reported)}
    if _LAST not in metrics and not metrics >= _LAST_OF_FILEIO_1_1 and not metrics & _WHOLE:
        last = len(text.splitlines())
        raise OutputError(TOOL, last, "expected 'Threads fairness' at the end, got none: it is cut off")
    version = _VERSION.search(text)
    cached = CACHED if metrics & _FILES_ALONE and not _is_direct(text) else None
    return ToolOutput(
        TOOL,
        version[1] if version is not None else None,
        tuple(_seen(one.entry, cached) for one in reported if isinstance(one.entry, Figure)),
        tuple(one.entry for one in reported if isinstance(one.entry, Refused)),
    )


def read_lines(text: str) -> list[ReportedLine]:
    """Return what each line says, whether or not the report is whole.

    Raises:
        OutputError: as ``read``.
    """
    lines = list(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        if _ERROR.match(line) is not None:
            raise OutputError(TOOL, number, f"sysbench says '{line.strip()}'")
    started = next((at for at, (_, line) in enumerate(lines) if line.strip() == _STARTED), None)
    return reported_lines(lines if started is None else lines[started + 1 :], lenient=started is None)


def _seen(figure: Figure, cached: str | None) -> Figure:
    """Mark the rates of what a test of files did not do at all, and all that the page cache may
    have served.
    """
    none_done = NONE_DONE if figure.value == 0 and figure.metric in _OF_FILES else None
    return marked(figure, none_done or (cached if figure.direction is not None else None))


def _is_direct(text: str) -> bool:
    flags = _FLAGS.search(text)
    if flags is None:
        return False
    words = flags[1].strip()
    return bool(int(words[-_DIGITS:]) & _DIRECT) if words.isdecimal() else "direct" in words
