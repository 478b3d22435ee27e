"""IOzone's reports for a spreadsheet on stdout (``-R``): a matrix for each operation, file sizes down, record
sizes across.

They repeat the table or what the children saw, and are held to it; what they alone have is the processor's
share (``-+u``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.errors import OutputError
from assay.workloads.outputs.marks import marked
from assay.workloads.tools.iozone.mode import FILE, RECORD, TOOL, Mode
from assay.workloads.tools.iozone.table import NOTHING

METRICS = {
    "writer": "write",
    "re-writer": "rewrite",
    "reader": "read",
    "re-reader": "reread",
    "random read": "random_read",
    "random write": "random_write",
    "backward read": "bkwd_read",
    "record rewrite": "record_rewrite",
    "stride read": "stride_read",
    "fwrite": "fwrite",
    "re-fwrite": "frewrite",
    "fread": "fread",
    "re-fread": "freread",
    "pwrite": "pwrite",
    "re-pwrite": "repwrite",
    "pread": "pread",
    "re-pread": "repread",
}
TITLE = re.compile(
    r'\s*"?([A-Z][A-Za-z -]*?)( CPU utilization)? report( \(Zero values should be ignored\))?"?\s*$',
    re.IGNORECASE,
)
_SIZES = re.compile(r'\s*("\d{1,18}"\s*)+$')
_ROW = re.compile(r'\s*"(\d{1,18})"((?:\s+\d+(?:\.\d+)?)*)\s*$')
_BY_COUNT = re.compile(r'"(Throughput|CPU utilization) report Y-axis is type of test X-axis is number of ')
_KIND = re.compile(r'\s*"\s*([A-Z][A-Za-z -]*)"((?:\s+\d+(?:\.\d+)?)+)\s*$')
_OTHER = re.compile(r'\s*(Excel output is below:|"?Record size = |"?Output is in (?!kBytes/sec$))')


class Excel:
    """The cells of reports, as they come."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._metric, self._unit = "", mode.unit
        self._records: tuple[str, ...] = ()
        self._cells: list[tuple[int, Figure]] = []
        self._children: list[tuple[int, str, float]] = []
        self._by_count = ""

    @property
    def begun(self) -> bool:
        """A report has begun."""
        return bool(self._metric or self._by_count)

    def take(self, number: int, text: str) -> bool:
        """Take a line; return whether it is one of a report's."""
        if match := _BY_COUNT.match(text):
            self._by_count = match[1]
        elif title := TITLE.match(text):
            self._metric = metric_of(number, title)
            self._unit = "%" if title[2] else self._mode.unit
        elif self._metric and _SIZES.match(text):
            self._records = tuple(re.findall(r"\d+", text))
        elif self._metric and (row := _ROW.match(text)):
            self._row(number, row[1], row[2].split())
        elif self._by_count and (kind := _KIND.match(text)):
            self._children += [(number, self._by_count, float(value)) for value in kind[2].split()]
        else:
            return _OTHER.match(text) is not None
        return True

    def beyond(self, table: Iterable[Figure], children: Iterable[Figure]) -> list[Figure]:
        """Return what the reports have and the table has not, after holding the rest to it."""
        known = {_place(one): one for one in table}
        self._hold_children(list(children))
        return [cell for number, cell in self._cells if not _repeats(number, cell, known)]

    def _row(self, number: int, size: str, values: list[str]) -> None:
        if len(values) > len(self._records):
            raise OutputError(
                TOOL, number, f"expected at most {len(self._records)} numbers, got {len(values)}"
            )
        for record, value in zip(self._records, values, strict=False):
            self._cells.append((number, cell(self._metric, float(value), (size, record), unit=self._unit)))

    def _hold_children(self, figures: list[Figure]) -> None:
        known = {figure.value for figure in figures}
        for number, _, value in self._children:
            if value not in known:
                raise OutputError(
                    TOOL, number, f"expected a figure that the processes had above, got {value}"
                )


def metric_of(number: int | None, title: re.Match[str]) -> str:
    """Return the metric of a report's title."""
    name = title[1].lower()
    if name not in METRICS:
        raise OutputError(TOOL, number, f"expected a report of an operation, got '{title[0].strip()}'")
    return f"{METRICS[name]}_cpu" if title[2] else METRICS[name]


def cell(metric: str, value: float, at: tuple[str, str], *, unit: str) -> Figure:
    """Return the figure of a cell of a matrix, by file size and record size; 0 stands for nothing
    measured.
    """
    direction = Direction.LOWER if unit in ("%", "us/op") else Direction.HIGHER
    figure = Figure(metric, value, unit, direction, {FILE: at[0], RECORD: at[1]})
    return marked(figure, NOTHING if value == 0 else None)


def _place(figure: Figure) -> tuple[str, str, str]:
    return figure.metric, figure.labels[FILE], figure.labels[RECORD]


def _repeats(number: int, seen: Figure, known: dict[tuple[str, str, str], Figure]) -> bool:
    """Tell whether a cell is in the table too; a zero that is not stands for a record size that
    was left out.
    """
    first = known.get(_place(seen))
    if first is not None and abs(first.value - seen.value) > 1:
        raise OutputError(TOOL, number, f"expected {first.value:.10g} as in the table, got {seen.value:.10g}")
    return first is not None or (seen.value == 0 and bool(known))
