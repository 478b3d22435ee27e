"""Landscapes as tables of the loss (file sizes down, records across) and as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.figures.estimate import Verdict
from assay.model.units import format_bytes
from assay.pages.families.landscapes import Landscape, LandscapeCell
from assay.pages.numbers import NOTHING, size_text
from assay.report.tables.words import verdict_name

NOT_COMPARABLE = "not comparable"
NOTE = (
    "loss of throughput with its interval and verdict, file sizes down, records (what is moved "
    "at once) across; ~: its interval holds zero; -: not run"
)


def landscape_title(shown: Landscape) -> str:
    """Return what a landscape is of."""
    treatment = "" if shown.treatment is None else f", {shown.treatment}"
    return f"{shown.workload} {shown.metric}{treatment}"


def landscape_headers(shown: Landscape) -> tuple[str, ...]:
    """Return the names of the columns of ``landscape_cells``."""
    names = size_names(shown.records)
    return ("file", *("loss" if record is None else f"by {names[record]}" for record in shown.records))


def landscape_cells(shown: Landscape) -> list[tuple[str, ...]]:
    """Return one row a file size."""
    cells = {(cell.size_bytes, cell.record_bytes): cell for cell in shown.cells}
    names = size_names(shown.sizes)
    return [
        (names[size], *(_cell(cells.get((size, record))) for record in shown.records)) for size in shown.sizes
    ]


def landscape_lines(shown: Landscape) -> list[str]:
    """Return where the loss is smallest and where largest, and why cells have none."""
    title = landscape_title(shown)
    return [f"{title}: {line}" for line in (*_ends(shown), *_apart(shown), *_unmeasured(shown))]


def size_names(sizes: Sequence[int | None]) -> dict[int | None, str]:
    """Return what each size is called, no two alike: rounded, or in bytes where others round to the same
    text.
    """
    rounded = {size: format_bytes(size or 0) for size in sizes}
    texts = list(rounded.values())
    return {size: text if texts.count(text) == 1 else f"{size} B" for size, text in rounded.items()}


def record_text(record: int | None) -> str:
    """Return what a record size is called."""
    return "loss" if record is None else f"by {format_bytes(record)}"


def place_text(cell: LandscapeCell) -> str:
    """Return where a cell lies, ``64 MiB by 4 KiB``."""
    record = "" if cell.record_bytes is None else f" {record_text(cell.record_bytes)}"
    return f"{format_bytes(cell.size_bytes)}{record}"


def figure_text(cell: LandscapeCell) -> str:
    """Return the loss of a cell as it is shown, ``~`` before it where its interval holds zero."""
    if cell.not_comparable is not None:
        return NOT_COMPARABLE
    if cell.loss is None:
        return str(Verdict.NOT_MEASURED)
    return f"{'~' if cell.holds_zero else ''}{size_text(cell)} {verdict_name(cell.verdict)}"


def _cell(cell: LandscapeCell | None) -> str:
    return NOTHING if cell is None else figure_text(cell)


def _ends(shown: Landscape) -> Iterator[str]:
    known = [(cell.loss, cell) for cell in shown.cells if cell.shown and cell.loss is not None]
    if len(known) > 1:
        least, most = (pick(known, key=lambda one: one[0])[1] for pick in (min, max))
        yield (
            f"smallest loss {figure_text(least)} at {place_text(least)}, "
            f"largest {figure_text(most)} at {place_text(most)}"
        )


def _apart(shown: Landscape) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for cell in shown.cells:
        if cell.not_comparable is not None:
            reasons.setdefault(cell.not_comparable, []).append(place_text(cell))
    for reason, places in reasons.items():
        yield f"{NOT_COMPARABLE} at {', '.join(places)}: {reason}"


def _unmeasured(shown: Landscape) -> Iterator[str]:
    for cell in shown.cells:
        if cell.loss is None and cell.not_comparable is None:
            reason = "" if cell.reason is None else f": {cell.reason}"
            yield f"not measured at {place_text(cell)}{reason}"
