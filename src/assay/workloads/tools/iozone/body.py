"""The parts of an IOzone output, line by line: head, table, throughput, reports for a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Callable

from assay.model.work.tool_output import Figure
from assay.workloads.errors import OutputError
from assay.workloads.outputs.shell import SHELL
from assay.workloads.tools.iozone.excel import Excel
from assay.workloads.tools.iozone.mode import END, TOOL, Mode
from assay.workloads.tools.iozone.table import Table
from assay.workloads.tools.iozone.threads import Threads

_HEAD = re.compile(r"\t|\s*Iozone: Performance Test| {8}")
"""A tab, or the eight blanks that a terminal or ``expand`` makes of it."""
_FIGURE = re.compile(
    r"\s*(\d|(Children see|Parent sees|Min|Max|Avg) (throughput|xfer)|Child\[|CPU [uU]tilization:)"
)
"""What is never a head: one of these that no part took has a number that cannot be read."""
_ERROR = re.compile(r"Can ?not |Error|ERROR|invalid option|interrupted|not valid|failed", re.IGNORECASE)
_TAIL = re.compile(r"\s*$|Timer resolution is poor|reported inaccurate results")
_REPORTED = re.compile(r"\s*\"")
"""A line of the reports, which stand below the end of a run."""


def body(mode: Mode, lines: list[tuple[int, str]]) -> list[Figure]:
    """Return the figures of one run; below its end a script may say anything but an error.

    Raises:
        OutputError: a line that belongs to no part, or a report that contradicts the table.
    """
    table, threads, excel = Table(mode), Threads(mode), Excel(mode)
    parts: tuple[Callable[[int, str], bool], ...] = (table.take, threads.take, excel.take)
    ended = False
    for number, text in lines:
        ended = ended or END in text
        if _TAIL.match(text) or SHELL.match(text) or any(part(number, text) for part in parts):
            continue
        if ended and not _REPORTED.match(text) and not _ERROR.search(text):
            continue
        begun = table.begun or threads.figures or excel.begun or _FIGURE.match(text)
        if begun or not _HEAD.match(text) or _ERROR.search(text):
            raise OutputError(TOOL, number, f"expected a line of iozone's output, got '{text.strip():.100}'")
    return [*table.entries, *threads.figures, *excel.beyond(table.entries, threads.figures)]
