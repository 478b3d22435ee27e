"""SPEC CPU2006's own result files: ``.csv`` and ``.txt``.

Source: https://www.spec.org/cpu2006/Docs/result-fields.html and runspec.html ("Base Status": S, NR, RE, CE,
    VE).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import Line, finite

SPEC = "hs06"
STATUS = {"NR": "not run", "RE": "runtime error", "CE": "compile error", "VE": "validation error"}
_PROGRAM = re.compile(r"\d{3}\.[a-zA-Z0-9_]+")
_SUMMARY = re.compile(
    r"\s*(?:Est\. )?(SPEC(?:int|fp)(?:_rate)?(?:_base|_peak)?(?:20\d\d)?)[\s,]+([\d.]+|--|Not "
    r"Run)(?:[\s,].*)?"
)
_ROW = re.compile(r"(\d{3}\.\w+)\s+(.*)")


def read_csv(text: str) -> list[Figure | Refused]:
    """Read SPEC's ``.csv``: each iteration from the full table, what SPEC selected from the selected one.

    Raises:
        OutputError: a figure of a program that is no number.
    """
    entries: list[Figure | Refused] = []
    table = ""
    heading: list[str] = []
    for number, row in enumerate(_rows(text), start=1):
        cells = [cell.strip() for cell in row]
        if cells and cells[0] in ("Full Results Table", "Selected Results Table"):
            table, heading = cells[0].split()[0].lower(), []
        elif table and cells and cells[0] == "Benchmark":
            heading = cells
        elif heading and cells and _PROGRAM.fullmatch(cells[0]):
            entries += _csv_row(
                Line(SPEC, number, ",".join(row)), dict(zip(heading, cells, strict=False)), table
            )
        elif cells and (summary := _SUMMARY.fullmatch(",".join(cells))) is not None:
            entries.append(_total(summary))
    return entries


def _rows(text: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text)))
    except csv.Error as error:
        raise OutputError(SPEC, None, f"expected CSV, got one with {error}") from error


def _csv_row(line: Line, cells: dict[str, str], table: str) -> Iterator[Figure | Refused]:
    program = cells["Benchmark"]
    for tuning in ("Base", "Peak"):
        status = cells.get(f"{tuning} Status", "")
        labels = {"benchmark": program, "tuning": tuning.lower(), "table": table}
        if status in STATUS:
            yield Refused("ratio", f"SPEC says '{STATUS[status]}'", labels)
            continue
        for column, word in cells.items():
            name = _column(column, tuning)
            if name is not None and word:
                yield _program_figure(name, line.value(word), labels)


def _column(column: str, tuning: str) -> str | None:
    plain = column.removeprefix("Est. ").replace("Est. ", "")
    return {
        f"{tuning} # Copies": "copies",
        f"{tuning} Run Time": "run_time",
        f"{tuning} Ref. Run Time": None,
        f"{tuning} Ratio": "ratio",
        f"{tuning} Rate": "ratio",
        f"{tuning} Rate (Copies * Ref Time / Run Time)": "ratio",
    }.get(plain)


def _program_figure(name: str, value: float, labels: Mapping[str, str]) -> Figure:
    unit, direction = {
        "copies": ("1", None),
        "run_time": ("s", Direction.LOWER),
        "ratio": ("1", Direction.HIGHER),
    }[name]
    return Figure(name, value, unit, direction, labels)


def _total(summary: re.Match[str]) -> Figure | Refused:
    value = finite(summary[2])
    if value is None:
        return Refused(summary[1].lower(), f"SPEC printed '{summary[2]}'")
    return Figure(summary[1].lower(), value, "1", Direction.HIGHER)


def read_text(lines: list[Line]) -> list[Figure | Refused]:
    """Read SPEC's ``.txt``: copies, run time and rate (or run time and ratio) of each iteration.

    Raises:
        OutputError: a figure of a program that is no number.
    """
    entries: list[Figure | Refused] = []
    table = "full"
    for line in lines:
        if line.text.startswith("====") and entries:
            table = "selected"
        elif (summary := _SUMMARY.fullmatch(line.text)) is not None:
            entries.append(_total(summary))
        elif (row := _ROW.fullmatch(line.text.strip())) is not None and (words := row[2].split()):
            entries += _text_row(line, words, {"benchmark": row[1], "tuning": "base", "table": table})
    return entries


def _text_row(line: Line, words: list[str], labels: dict[str, str]) -> Iterator[Figure | Refused]:
    status = next((word for word in words if word in STATUS), None)
    if status is not None:
        yield Refused("ratio", f"SPEC says '{STATUS[status]}'", labels)
        return
    values = [word for word in words if finite(word) is not None]
    if len(values) not in (2, 3):
        return
    for name, word in zip(("copies", "run_time", "ratio")[3 - len(values) :], values, strict=True):
        yield _program_figure(name, line.value(word), labels)
