"""IOzone's table: a line for each file size and record size, a column for each operation, blank where it was
not run.
"""

from __future__ import annotations

import re

from assay.model.work.tool_output import Figure
from assay.workloads.errors import OutputError
from assay.workloads.outputs.marks import marked
from assay.workloads.tools.iozone.mode import FILE, RECORD, TOOL, Mode

COLUMNS: tuple[tuple[str, str], ...] = (
    ("write", "write"),
    ("rewrite", "rewrite"),
    ("read", "read"),
    ("reread", "reread"),
    ("random_read", "read"),
    ("random_write", "write"),
    ("bkwd_read", "read"),
    ("record_rewrite", "rewrite"),
    ("stride_read", "read"),
    ("fwrite", "fwrite"),
    ("frewrite", "frewrite"),
    ("fread", "fread"),
    ("freread", "freread"),
    ("pwrite", "pwrite"),
    ("repwrite", "repwrite"),
    ("pread", "pread"),
    ("repread", "repread"),
    ("pwritev", "pwritev"),
    ("repwritev", "repwritev"),
    ("preadv", "preadv"),
    ("repreadv", "repreadv"),
)
"""Metric, and the word under which its column stands; the line above the words says random, bkwd
and so on.
"""
_WORDS = re.compile(r"\s*[kK]B\s+reclen\s")
_ABOVE = re.compile(r"\s*+(random\s+random\s+bkwd\s+record\s+stride)?\s*$")
_ROW = re.compile(r"\s*(\d{1,18})\s+(\d{1,18})((?:\s+\d+)*)\s*$")
_TESTS = {
    0: (0, 1),
    1: (2, 3),
    2: (4, 5),
    3: (6,),
    4: (7,),
    5: (8,),
    6: (9, 10),
    7: (11, 12),
    9: (13, 14),
    10: (15, 16),
}
"""Number of a test (``-i``) -> places of its columns."""
NOTHING = "iozone printed 0: the operation was not run, or there was nothing to time"


class Table:
    """Rows, as they come."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._ends: tuple[int, ...] = ()
        self.entries: list[Figure] = []

    @property
    def begun(self) -> bool:
        """The columns are known."""
        return bool(self._ends)

    def take(self, number: int, text: str) -> bool:
        """Take a line; return whether it is one of the table's."""
        if _WORDS.match(text):
            self._ends = _column_ends(number, text)
            return True
        if _ABOVE.match(text):
            return True
        row = _ROW.match(text) if self.begun else None
        if row is None:
            return False
        labels = {FILE: row[1], RECORD: row[2]}
        for column, value in self._cells(number, text):
            self.entries.append(entry(self._mode, COLUMNS[column][0], value, labels))
        return True

    def _cells(self, number: int, text: str) -> list[tuple[int, float]]:
        """Return column and value: by the tests that were asked for, else by what stands below which word."""
        matches = list(re.finditer(r"\d+", text))[2:]
        asked = sorted(at for test in self._mode.tests for at in _TESTS.get(test, ()) if at < len(self._ends))
        if len(matches) == len(asked):
            columns = asked
        elif len(matches) == len(self._ends):
            columns = list(range(len(matches)))
        else:
            columns = [_below(match.end(), self._ends) for match in matches]
        if sorted(set(columns)) != columns:
            raise OutputError(
                TOOL, number, f"expected numbers below the columns' words, got '{text.strip()}'"
            )
        return [(column, float(match[0])) for column, match in zip(columns, matches, strict=True)]


def entry(mode: Mode, metric: str, value: float, labels: dict[str, str]) -> Figure:
    """Return the figure of a cell; 0 stands for nothing measured."""
    return marked(Figure(metric, value, mode.unit, mode.direction, labels), NOTHING if value == 0 else None)


def _column_ends(number: int, text: str) -> tuple[int, ...]:
    matches = list(re.finditer(r"\S+", text))[2:]
    words = [word for _, word in COLUMNS[: len(matches)]]
    if [match[0] for match in matches] != words:
        raise OutputError(TOOL, number, f"expected the columns {', '.join(words)}, got '{text.strip()}'")
    return tuple(match.end() for match in matches)


def _below(end: int, ends: tuple[int, ...]) -> int:
    return min(range(len(ends)), key=lambda at: abs(ends[at] - end))
