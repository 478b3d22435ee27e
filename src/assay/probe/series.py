"""What the probe sampled: ``samples.csv`` and its like as columns of numbers, ``phases.csv`` as what was
told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from assay.probe.columns import read_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


MOMENT = "mono_ns"
"""Column of the monotonic clock."""
_DIGITS = 20
"""Of the largest number of 64 bits."""


@dataclass(frozen=True)
class PhaseEvent:
    """One line of ``phases.csv``: a copy told of a phase, or of events so far.

    Attributes:
        mono_ns: Monotonic clock of the machine when it was heard.
        copy: Number of the copy from 0.
        phase: The phase that begins; empty where events are told.
        events: Events of the copy so far; ``None`` where a phase is told.
    """

    mono_ns: int
    copy: int
    phase: str
    events: int | None


def parse_series(data: bytes) -> Mapping[str, Column]:
    """Return the columns of a series by name, in the units of their names; NaN is an empty cell.

    Limits: a line that was not wholly written is left out, and one without its moment. Clocks are doubles:
        exact to 104 days of
    uptime, to 2 ns beyond; wall clock columns to 0.3 µs.

    Args:
        data: Comma-separated values with a line of names.
    """
    return read_columns(BytesIO(data), None, MOMENT)


def read_series(file: Path, columns: Collection[str] | None = None) -> Mapping[str, Column]:
    """Return columns of a series' file as ``parse_series`` does, without its text in memory.

    Args:
        file: The file; where there is none there are no columns.
        columns: Names of those that are read, beside the moments; ``None`` is all.
    """
    if not file.is_file():
        return {}
    with file.open("rb") as content:
        return read_columns(content, columns, MOMENT)


def parse_cells(data: bytes) -> tuple[dict[str, str], ...]:
    """Return the lines of a series by column, as text: for groups whose rows have names from the machine."""
    names, rows = _lines(data)
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


def keep_rows(data: bytes, column: str, value: str) -> bytes:
    """Return a series with those of its whole lines alone that have a value in a column.

    Raises:
        ValueError: It has no such column.
    """
    names, rows = _lines(data)
    at = names.index(column)
    return "".join(
        f"{','.join(row)}\n" for row in (names, *(row for row in rows if row[at] == value))
    ).encode()


def parse_phase_events(data: bytes) -> tuple[PhaseEvent, ...]:
    """Return the lines of ``phases.csv`` in their order; one that was not wholly written is left out."""
    names, rows = _lines(data)
    return tuple(_phase_events([dict(zip(names, row, strict=True)) for row in rows]))


def _phase_events(rows: list[dict[str, str]]) -> Iterator[PhaseEvent]:
    for row in rows:
        try:
            events = _whole(row["events"]) if row["events"] else None
            yield PhaseEvent(_whole(row["mono_ns"]), _whole(row["copy"]), row["phase"], events)
        except (KeyError, ValueError):
            continue


def _whole(cell: str) -> int:
    """Return a number of at most 64 bits, as the probe's are.

    Raises:
        ValueError: It is none.
    """
    if len(cell) > _DIGITS or (number := int(cell)) >= 1 << 64:
        msg = f"expected a number of 64 bits, got {cell:.40}"
        raise ValueError(msg)
    return number


def _lines(data: bytes) -> tuple[list[str], list[list[str]]]:
    whole = data[: data.rfind(b"\n") + 1].decode(errors="replace")
    names, *rows = [line.split(",") for line in whole.splitlines()] or [[]]
    return names, [row for row in rows if len(row) == len(names)]
