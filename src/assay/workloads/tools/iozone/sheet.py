"""The worksheet that IOzone writes by ``-b``: Excel 2.1's records (BIFF2), whatever its name ends in.

Source: iozone's ``libbif.c``; Microsoft Excel's record types 4 (label) and 3 (number).
Limits: labels are read as far as their text goes, so that a sheet whose path was made shorter by hand can be
    read.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import replace
from typing import TypeGuard

from assay.model.work.tool_output import Figure
from assay.workloads.errors import OutputError
from assay.workloads.tools.iozone.excel import TITLE, cell, metric_of
from assay.workloads.tools.iozone.mode import TOOL, Mode

MAGIC = b"\x09\x00\x04\x00\x02\x00"
"""Its first record, of the version 2."""
_LABEL = rb"\x04\x00\x08\x01(?P<label_at>.{4}).{3}.(?P<text>[^\x00]*)"
_NUMBER = rb"\x03\x00\x0f\x00(?P<number_at>.{4}).{3}(?P<value>.{8})"
_RECORD = re.compile(_LABEL + b"|" + _NUMBER + b"|(?P<end>\x0a\x00\x00\x00)", re.DOTALL)
_ORDER = "The top row is records sizes, the left column is file sizes"
_SWITCHES = re.compile(r"(?<= )-([A-Za-z]+)")
_MODES: dict[str, dict[str, object]] = {
    "I": {"direct": True},
    "o": {"sync": True},
    "e": {"flush": True},
    "O": {"unit": "ops/s"},
    "N": {"unit": "us/op"},
}
_TAKES_VALUE = "jkVrtsfFdluUSLHPibXYgnyqJ"
"""Options whose value may stand right behind them; what follows is no option. Source: iozone's getopt."""


def read_sheet(output: bytes) -> tuple[Mode, list[Figure]]:
    """Return the modes by the command line in the sheet, and the cells of its matrices.

    Raises:
        OutputError: a sheet of something else, or cut off.
    """
    texts, numbers = _records(output)
    if _ORDER not in texts.values():
        raise OutputError(TOOL, None, f"expected a sheet that says '{_ORDER}', got another")
    mode, entries = _mode(texts), []
    titles = sorted(row for row, text in texts.items() if TITLE.match(text))
    if not titles:
        raise OutputError(TOOL, None, "expected reports in the sheet, got none")
    for first, after in zip(titles, (*titles[1:], 1 << 16), strict=True):
        title = TITLE.match(texts[first])
        metric = metric_of(None, title) if title else ""
        unit = "%" if metric.endswith("_cpu") else mode.unit
        for (row, column), value in sorted(numbers.items()):
            if first + 1 < row < after and column > 0:
                size, record = numbers.get((row, 0)), numbers.get((first + 1, column))
                if not _is_size(size) or not _is_size(record):
                    raise OutputError(TOOL, None, f"expected sizes of the cell in row {row}, got none")
                entries.append(cell(metric, value, (f"{size:.0f}", f"{record:.0f}"), unit=unit))
    return mode, entries


def _is_size(kib: float | None) -> TypeGuard[float]:
    return kib is not None and math.isfinite(kib) and kib > 0


def _records(output: bytes) -> tuple[dict[int, str], dict[tuple[int, int], float]]:
    texts: dict[int, str] = {}
    numbers: dict[tuple[int, int], float] = {}
    for record in _RECORD.finditer(output):
        if record["end"] is not None:
            return texts, numbers
        if record["text"] is not None:
            row, _ = struct.unpack("<HH", record["label_at"])
            texts[row] = texts.get(row, "") + record["text"].decode("utf-8", "replace").strip()
        else:
            numbers[struct.unpack("<HH", record["number_at"])] = struct.unpack("<d", record["value"])[0]
    raise OutputError(TOOL, None, "expected the end of the sheet, got a sheet that was cut off")


def _mode(texts: dict[int, str]) -> Mode:
    mode = Mode()
    for word in _SWITCHES.findall(f" {texts.get(0, '')}"):
        for letter in word:
            mode = replace(mode, **_MODES.get(letter, {}))  # type: ignore[arg-type]
            if letter in _TAKES_VALUE:
                break
    return mode
