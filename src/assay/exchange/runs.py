"""Cells -> measured runs; what a cell cannot be is refused by its place."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from assay.exchange.errors import TableError
from assay.exchange.sheet import Sheet
from assay.model.measured import MeasuredRun

LEAST, MOST = 1e-30, 1e30
"""No time and no rate in any unit lies beyond; ratios of what lies between are finite doubles."""
MOST_EVENTS = 10**15
RARE = 3
"""An arm with a third of another's rows may be a slip of the pen."""


def to_runs(sheet: Sheet) -> tuple[MeasuredRun, ...]:
    """Return one measured run a row.

    Raises:
        TableError: A cell is missing, is no number where one is needed, or cannot be a time, a rate or a
            number of events; or two arms differ by the case of their letters alone.
    """
    runs = tuple(_run(dict(zip(sheet.columns, cells, strict=True)), place) for place, cells in sheet.rows)
    _check_spelling(runs)
    return runs


def spelling_notes(runs: Iterable[MeasuredRun]) -> Iterator[str]:
    """Yield a note for each rare arm that is spelled nearly like a common one: a slip, or a treatment."""
    counts = Counter(run.arm for run in runs)
    for arm, count in counts.items():
        common = [other for other in counts if counts[other] >= RARE * count]
        for other in difflib.get_close_matches(arm, common, n=1, cutoff=0.75):
            if _letters(arm) != _letters(other):  # guest1 and guest2 are two treatments
                rows = f"{count} row{'' if count == 1 else 's'}"
                yield f"the arm '{arm}' ({rows}) is spelled nearly like '{other}' ({counts[other]} rows)"


def _letters(arm: str) -> str:
    return "".join(letter for letter in arm if not letter.isdigit())


def _run(cells: Mapping[str, object], place: str) -> MeasuredRun:
    return MeasuredRun(
        block=_word(cells["block"], "block", place),
        arm=_word(cells["arm"], "arm", place),
        value=_value(cells["value"], place),
        session=_word(cells["session"], "session", place) if "session" in cells else "",
        machine=_word(cells["machine"], "machine", place) if "machine" in cells else "",
        events=_events(cells["events"], place) if "events" in cells else None,
        place=place,
    )


def _word(cell: object, column: str, place: str) -> str:
    if _absent(cell):
        raise _missing(column, place)
    return str(cell).strip()


def _value(cell: object, place: str) -> float:
    number = _number(cell, "value", place)
    if not LEAST <= number <= MOST:
        above = "a number above 0" if number <= 0 else f"a time or a rate from {LEAST:g} to {MOST:g}"
        hint = "leave out runs that failed: they have no value" if number <= 0 else None
        raise TableError(place=place, expected=f"{above} in 'value'", actual=_shown(cell), hint=hint)
    return number


def _events(cell: object, place: str) -> int:
    number = _number(cell, "events", place)
    if not 0 <= number <= MOST_EVENTS or not number.is_integer():
        raise TableError(place=place, expected="a whole number >= 0 in 'events'", actual=_shown(cell))
    return int(number)


def _number(cell: object, column: str, place: str) -> float:
    if _absent(cell):
        raise _missing(column, place)
    number = _float(cell)
    if number is None or not math.isfinite(number):
        comma = isinstance(cell, str) and "," in cell
        hint = "write decimals with a point, and thousands without a mark" if comma else None
        expected = f"a{' finite' if number is not None else ''} number in '{column}'"
        raise TableError(place=place, expected=expected, actual=_shown(cell), hint=hint)
    return number


def _float(cell: object) -> float | None:
    """Return a cell as a number; ``None`` where it is none. Python's own 1_000 is nobody's data."""
    if isinstance(cell, bool) or (isinstance(cell, str) and "_" in cell):
        return None
    try:
        return float(cell) if hasattr(cell, "__float__") or isinstance(cell, str) else None
    except (ValueError, TypeError, OverflowError):
        return None


def _absent(cell: object) -> bool:
    """Tell whether a cell is empty; data frames write NaN or their own mark, which equals nothing."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    return type(cell).__name__ in {"NAType", "NaTType"} or (isinstance(cell, float) and math.isnan(cell))


def _missing(column: str, place: str) -> TableError:
    return TableError(place=place, expected=f"a cell in '{column}'", actual="nothing")


def _shown(cell: object) -> str:
    """Return a cell as it stands, cut to what one line holds."""
    text = str(cell).strip()
    return f"'{text if len(text) <= 40 else text[:39] + '…'}'"


def _check_spelling(runs: Iterable[MeasuredRun]) -> None:
    spelled: dict[str, MeasuredRun] = {}
    for run in runs:
        first = spelled.setdefault(run.arm.casefold(), run)
        if first.arm != run.arm:
            expected = f"the arm '{first.arm}' as at {first.place}"
            raise TableError(place=run.place, expected=expected, actual=f"'{run.arm}'")
