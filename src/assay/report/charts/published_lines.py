"""The lines of the chart of published figures: each of ours, and under it those of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.pages.context import Page
from assay.pages.published import PublishedRow, Source, Unit
from assay.report.charts.chart_style import Spec
from assay.report.charts.loss_rows import LEAST
from assay.report.tables.published import ours_name, printed_text
from assay.report.tables.tables import plain


def chart_lines(rows: Sequence[PublishedRow], sources: Mapping[str, Source]) -> Iterator[Spec]:
    """Yield a line for each figure of ours, and under it one for each publication's beside it."""
    grouped: dict[str, list[PublishedRow]] = {}
    for row in rows:
        grouped.setdefault(ours_name(row), []).append(row)
    for name, beside in grouped.items():
        first = beside[0]
        yield {"name": plain(name), "ours": True, "marks": [_ours(first, name)]}
        for row in beside:
            source = sources[row.publication]
            what = f"{source.authors} {source.year}: {row.what}"
            marks = [_theirs(row, at, what) for at in range(len(row.theirs))]
            yield {"name": plain(what), "ours": False, "marks": marks}


def _ours(row: PublishedRow, name: str) -> Spec:
    low, high = row.low, row.high
    return {
        "look": "ours",
        "what": plain(name),
        "low": _not_below(low, row.unit),
        "high": _not_below(high, row.unit),
        "point": row.value if row.value == _not_below(row.value, row.unit) else None,
        "beyond": LEAST if _cut(row) else None,
        "on": "",
        "printed": "",
    }


def _theirs(row: PublishedRow, at: int, what: str) -> Spec:
    figure = row.theirs[at]
    on = ", ".join(part for part in (figure.hardware, figure.condition) if part is not None)
    return {
        "look": "theirs",
        "what": plain(what),
        "low": _not_below(figure.low, row.unit),
        "high": _not_below(figure.high, row.unit),
        "point": _not_below(figure.low, row.unit) if figure.low == figure.high else None,
        "beyond": None,
        "on": plain(on),
        "printed": printed_text(figure),
    }


def cut_off(page: Page) -> bool:
    """Tell whether a chart of published figures cuts one of our intervals off."""
    return page.published is not None and any(map(_cut, page.published.rows))


def _cut(row: PublishedRow) -> bool:
    return row.unit is Unit.LOSS and any(end is not None and end < LEAST for end in (row.value, row.low))


def _not_below(value: float | None, unit: Unit | None) -> float | None:
    """Gains beyond twice the throughput end at the edge: else they would flatten the rest."""
    return value if value is None or unit is not Unit.LOSS else max(value, LEAST)
