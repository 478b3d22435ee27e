"""GNU time: ``-v`` (BusyBox has it too), its usual two lines, and ``-p`` (POSIX), also of bash.

Lines before a report are the command's own: both write to standard error. Several reports in one file
(``--append``) have the label ``run`` from 1. Figures of a command that failed are marked as not comparable,
and so are counts that Linux does not keep and always gives as 0.

Limits: GNU time 1.7 multiplied the maximum resident set size by 4 on Linux; its output does not say its
    version.

Source: ``time.c`` of GNU time 1.9 (``longstats``, ``default_format``, ``posix_format``); getrusage(2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.tools.gnu_time.words import FAILED, TOOL, Entry, long_line, short_line

_LONG = re.compile(r"\s*Command being timed: \"")
_LONG_END = re.compile(r"\s*Exit status: (\d+)")
_SHORT = re.compile(r"(?:real|user|sys)\s+[\d?]\S*|\S+user \S+system \S+elapsed .*|\S+inputs\+\S+outputs .*")
Line = tuple[int, str]


def read(output: bytes) -> ToolOutput:
    """Return all figures of one or several reports; which version wrote them they do not say.

    Raises:
        OutputError: no report, one that is cut off, or a line that is not known.
    """
    lines = list(enumerate(output.decode("utf-8-sig", "replace").splitlines(), start=1))
    reports = _long(lines) if any(_LONG.match(line) for _, line in lines) else _short(lines)
    if not reports:
        first = lines[0][1] if lines else ""
        problem = f"expected 'Command being timed:', 'real' or '…elapsed', got '{first:.60}'"
        raise OutputError(TOOL, len(lines) or 1, problem)
    refuse_cut(output, tool=TOOL)
    entries: list[Entry] = []
    for run, report in enumerate(reports, start=1):
        labels = {"run": str(run)} if len(reports) > 1 else {}
        entries += [replace(one, labels={**labels, **one.labels}) for one in report]
    measurements = tuple(entry for entry in entries if isinstance(entry, Figure))
    return ToolOutput(TOOL, None, measurements, tuple(e for e in entries if isinstance(e, Refused)))


def _long(lines: Sequence[Line]) -> list[list[Entry]]:
    reports: list[list[Entry]] = []
    failed, waiting = "", iter(lines)
    for _, text in waiting:
        if (match := FAILED.fullmatch(text)) is not None:
            failed = match[0].strip().replace("Command ", "the command ")
        if _LONG.match(text) is not None:
            reports.append(list(_long_report(lines, waiting, failed)))
            failed = ""
    return reports


def _long_report(lines: Sequence[Line], waiting: Iterator[Line], failed: str) -> Iterator[Entry]:
    """Yield the figures of a report to its exit status, which also tells whether the command failed."""
    known = False
    body: list[Line] = []
    for number, text in waiting:
        known = known or text.lstrip().startswith("User time (seconds):")
        body += [(number, text)] if known else []  # before it, a command of several lines
        if (end := _LONG_END.fullmatch(text)) is not None:
            failed = failed or ("" if end[1] == "0" else f"the command ended with exit status {end[1]}")
            for at, line in ((at, line) for at, line in body if line.strip()):
                yield from long_line(at, line, failed)
            return
    raise OutputError(TOOL, len(lines), "expected 'Exit status:' at the end, got none: it is cut off")


def _short(lines: Sequence[Line]) -> list[list[Entry]]:
    reports: list[list[Entry]] = []
    failed = ""
    for number, text in lines:
        if (match := FAILED.fullmatch(text)) is not None:
            failed = match[0].strip().replace("Command ", "the command ")
        if _SHORT.fullmatch(text) is None:
            continue
        entries = list(short_line(number, text, failed))
        if not reports or entries[0].metric in {entry.metric for entry in reports[-1]}:
            reports.append([])
        reports[-1] += entries
    for report in reports:
        _refuse_cut_off(report, len(lines))
    return reports


def _refuse_cut_off(report: Sequence[Entry], last: int) -> None:
    names = {entry.metric for entry in report}
    if not (names >= {"real", "user", "sys"} or names >= {"elapsed", "swaps"}):
        raise OutputError(TOOL, last, f"expected a whole report, got {', '.join(sorted(names))} alone")
