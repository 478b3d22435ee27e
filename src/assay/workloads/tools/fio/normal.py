"""fio's normal text, versions 2 and 3: a part a job, the totals of its groups, the disks.

Names are those of fio's terse output and JSON where the quantity is the same: ``clat_mean`` in the unit of
its line. Of a quantity that fio prints twice, the label ``base`` tells whether the prefix counts 1024 or
1000. Totals of a group are ``group_…`` with the label ``group``. fio rounds all of them: its JSON has more
digits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NoReturn

from assay.model.work.tool_output import NOT_COMPARABLE, Figure, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.shell import SHELL
from assay.workloads.outputs.whole import joined
from assay.workloads.tools.fio import normal_ends, normal_lines
from assay.workloads.tools.fio.amounts import TIME_UNITS, count
from assay.workloads.tools.fio.normal_lines import KNOWN, PERCENTILE
from assay.workloads.tools.fio.reports import percentile
from assay.workloads.tools.fio.words import LATENCY_DIRECTION, TOOL, error_words

JOB = re.compile(r"(\S.*): \((?:groupid|g)=(\d+), jobs=(\d+)\): err= *(\d{1,9})(?: \(.*\))?: pid=\d+: .*")
HEADER = re.compile(
    r"\S.*: \(g=\d+\): rw=\w+, bs=.*, ioengine=.*, iodepth=\d+|\S.* \(\w+\): ioengine=cpuio, cpuload=\d+, .*"
)
_VERSION = re.compile(r"fio-(\d\S*)")
_PASSED = re.compile(
    r"\.\.\.|note: both iodepth >= 1 and synchronous I/O engine are selected, .*|Starting \d+ "
    r"(?:process|thread).*"
    r"|\S.*: Laying out IO file\S* \(.*\)|Jobs: \d+ \(f=.*|All clients: .*"
    r"|fio: this platform does not support process shared mutexes, .*|fio: native_fallocate call failed: .*"
    r"|fio: file \S+ exceeds 32-bit tausworthe random generator\.|fio: Switching to tausworthe64\. .*"
)
"""What fio says beside its report, and which changes no figure."""


@dataclass
class _Job:
    """A job as far as it was read."""

    line: int
    name: str
    group: str
    operations: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)


def _add(to: list[Figure], figures: Iterable[Figure]) -> bool:
    """Add figures to those so far; tell whether none of them was there already."""
    known, more = {_key(one) for one in to}, list(figures)
    to += more
    return known.isdisjoint(_key(one) for one in more)


def _key(figure: Figure) -> tuple[object, ...]:
    return (figure.metric, *sorted(figure.labels.items()))


@dataclass
class _Report:
    """One report as far as it was read: jobs, then groups, then disks."""

    jobs: list[_Job] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)
    ends: list[Figure] = field(default_factory=list)
    disks: int | None = None

    @property
    def has_ended(self) -> bool:
        """Its groups have begun: what comes next of a job is another report's."""
        return bool(self.groups)


class _Reader:
    """Reads the lines in turn; what is open decides what a line may be."""

    def __init__(self) -> None:
        self.reports = [_Report()]
        self.versions: list[str] = []
        self.operation: str | None = None
        self.table: tuple[str, str] | None = None
        """Latency and unit of the rows of percentiles that follow."""

    @property
    def report(self) -> _Report:
        return self.reports[-1]

    def take(self, number: int, text: str) -> None:
        """Read one line.

        Raises:
            OutputError: it is not known, or stands where it cannot.
        """
        if not text or _PASSED.fullmatch(text) or SHELL.match(text):
            return
        if (match := _VERSION.fullmatch(text)) is not None:
            self.versions.append(match[1])
        elif HEADER.fullmatch(text):
            self._begin()
        elif (match := JOB.fullmatch(text)) is not None:
            self._begin()
            self._job(number, match)
        elif not (self._of_end(text) or self._of_job(text)):
            _unknown(number, text)

    def _begin(self) -> None:
        if self.report.has_ended:
            self.reports.append(_Report())

    def _job(self, number: int, match: re.Match[str]) -> None:
        if (code := int(match[4])) != 0:
            raise OutputError(TOOL, number, f"job '{match[1]}' ended with error {code} ({error_words(code)})")
        self.report.jobs.append(_Job(number, match[1], match[2]))
        self.operation, self.table = None, None

    def _of_end(self, text: str) -> bool:
        report = self.report
        if (match := normal_ends.GROUP.fullmatch(text)) is not None:
            if report.disks is None and match[1] not in report.groups:
                report.groups[match[1]] = []
                return True
            return False
        if normal_ends.DISKS.fullmatch(text):
            fits, report.disks = report.has_ended and report.disks is None, 0
            return fits
        if not report.has_ended:
            return False
        group = next(reversed(report.groups))
        figures = normal_ends.group(text, group) if report.disks is None else normal_ends.disk(text)
        if figures is None:
            return False
        if report.disks is None:
            report.groups[group].append(figures[0].labels["operation"])
        else:
            report.disks += 1
        return _add(report.ends, figures)

    def _of_job(self, text: str) -> bool:
        if self.report.has_ended or not self.report.jobs:
            return False
        job = self.report.jobs[-1]
        if (match := normal_lines.OPERATION.fullmatch(text)) is not None:
            return self._operation(job, match[1], match[2])
        if normal_lines.SYNC.fullmatch(text):
            self.operation, self.table = "sync", None
            return True
        if (match := normal_lines.PERCENTILES.fullmatch(text)) is not None:
            name = "lat" if match[1] == "sync" else match[1]
            self.table = (name, TIME_UNITS[match[2]])
            return self.operation is not None
        if normal_lines.PERCENTILE_ROW.fullmatch(text):
            return self._percentiles(job, text)
        return self._known(job, text)

    def _operation(self, job: _Job, operation: str, text: str) -> bool:
        self.operation, self.table = operation, None
        job.operations.append(operation)
        rates = normal_lines.rates(text, {"operation": operation})
        return rates is not None and _add(job.figures, rates)

    def _percentiles(self, job: _Job, text: str) -> bool:
        if self.table is None or self.operation is None:
            return False
        name, unit = self.table
        rows = [
            Figure(
                f"{name}_percentile",
                count(value),
                unit,
                LATENCY_DIRECTION,
                {"operation": self.operation, "percentile": percentile(share)},
            )
            for share, value in PERCENTILE.findall(text)
        ]
        return _add(job.figures, rows)

    def _known(self, job: _Job, text: str) -> bool:
        for known in KNOWN:
            if (match := known.pattern.fullmatch(text)) is None:
                continue
            if known.of_operation and self.operation is None:
                return False
            labels = {"operation": str(self.operation)} if known.of_operation else {}
            return known.reader is None or _add(job.figures, known.reader(match, labels))
        return False


def read_text(text: str) -> ToolOutput:
    """Return all figures of fio's normal text; of several reports (``--status-interval``) the label ``run``
    tells which.

    Raises:
        OutputError: a line is not known, a job ended with an error, or a report is cut off.
    """
    reader, lines = _Reader(), text.splitlines()
    for number, line in enumerate(lines, start=1):
        # A line of progress is written over by carriage returns, which splitlines() takes for ends of lines.
        reader.take(number, line.rstrip())
    for report in reader.reports:
        _check_whole(report, len(lines))
    if not text.endswith("\n"):
        raise OutputError(
            TOOL, len(lines), "expected the end of the line, got that of the output: it is cut off"
        )
    version = reader.versions[0] if len(set(reader.versions)) == 1 else None
    return joined([ToolOutput(TOOL, version, tuple(_figures(report))) for report in reader.reports])


def _check_whole(report: _Report, last: int) -> None:
    """Refuse a report without the totals of each operation of its jobs, or without the disks that it
    announces.

    Raises:
        OutputError: it is cut off.
    """
    if not report.jobs:
        raise OutputError(TOOL, last, "expected a job of fio's normal text, got none")
    for job in report.jobs:
        if missing := set(job.operations) - set(report.groups.get(job.group, ())):
            words = f"the totals of {' and '.join(sorted(missing))} of group {job.group}"
            raise OutputError(
                TOOL, last, f"expected {words} for the job '{job.name}', got none: it is cut off"
            )
        if job.group not in report.groups or not job.figures:
            raise OutputError(
                TOOL, last, f"expected the rest of the job '{job.name}', got none: it is cut off"
            )
    if report.disks == 0:
        raise OutputError(TOOL, last, "expected a disk after 'Disk stats', got none: it is cut off")


def _figures(report: _Report) -> list[Figure]:
    times, seen = Counter(job.name for job in report.jobs), Counter[str]()
    figures: list[Figure] = []
    for job in report.jobs:
        labels = {"job": job.name} | ({"index": str(seen[job.name])} if times[job.name] > 1 else {})
        seen[job.name] += 1
        of_job = (_of_mixed(figure) for figure in job.figures) if job.operations == ["mixed"] else job.figures
        figures += [replace(figure, labels={**labels, **figure.labels}) for figure in of_job]
    return figures + report.ends


def _of_mixed(figure: Figure) -> Figure:
    """Return a figure of a job with ``unified_rw_reporting``, whose requests are all counted where reads
    stand.
    """
    if figure.metric not in {"total_ios", "short_ios", "drop_ios"} or figure.labels["operation"] == "sync":
        return figure
    if figure.labels["operation"] == "read":
        labels = {key: value for key, value in figure.labels.items() if key != NOT_COMPARABLE}
        return replace(figure, labels={**labels, "operation": "mixed"})
    return replace(figure, labels={**figure.labels, NOT_COMPARABLE: "counted with mixed"})


def _unknown(number: int, text: str) -> NoReturn:
    raise OutputError(TOOL, number, f"expected a line of fio's normal text, got '{text.strip():.80}'")
