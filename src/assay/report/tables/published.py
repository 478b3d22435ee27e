"""Published figures beside ours as a table and as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.pages.context import Page
from assay.pages.numbers import NOTHING, ends_text, sized_text
from assay.pages.published import Published, PublishedRow, Source, TheirFigure, Unit

TITLE = "Published"
HEADERS = ("workload", "figure", "ours", "published", "of what", "by, on what", "within ours")
NUMBERS = {2, 3}
"""Columns of figures."""
ROUNDING = 1e-9
"""Percentage points that a fraction may be off by when it is made a percentage again."""
NAMED = 3
"""Machines or conditions that a table in a terminal names each; of more it names the first."""


def published_cells(page: Page, *, short: bool = False) -> list[tuple[str, ...]]:
    """Return one row a figure of ours and published figures; empty where the scene names none.

    Args:
        page: With or without published figures.
        short: Of long lists of machines and conditions the first is named.
    """
    if page.published is None:
        return []
    known = {source.key: source for source in page.published.publications}
    return [_cells(row, known[row.publication], short=short) for row in page.published.rows]


def published_lines(page: Page) -> list[str]:
    """Return what is to be known of the table: what is not alike, and where the figures are from."""
    shown = page.published
    if shown is None:
        return []
    here = [f"ours: {shown.here}"] if shown.here else []
    return [*here, *shown.differs, *_differs(shown), *map(source_text, shown.publications)]


def source_text(source: Source) -> str:
    """Return a publication as it is cited: ``CERN (2015), Tuning hypervisors …, OpenStack in production,
    http://…``.
    """
    known = [part for part in (source.title, source.venue, source.url) if part is not None]
    head = f"{source.key}: {', '.join([f'{source.authors} ({source.year})', *known])}"
    return ". ".join([f"{head}: {source.about}", *source_words(source.machines, source.runs)])


def source_words(machines: str | None, runs: str | None) -> list[str]:
    """Return what a publication measured on and how often, each with its name in front."""
    named = (("Machines", machines), ("Runs", runs))
    return [f"{name}: {words}" for name, words in named if words is not None]


def ours_name(row: PublishedRow) -> str:
    """Return what a figure of ours is called, with its treatment where there are several."""
    parts = dict.fromkeys((row.workload, row.metric, row.treatment))
    return " · ".join(part for part in parts if part is not None)


def shortened_lines(page: Page) -> list[str]:
    """Return where the rest of what a short table names is found; empty where it names all."""
    if published_cells(page) == published_cells(page, short=True):
        return []
    return ["'and so many more': the page in HTML, Markdown and JSON name each of them"]


def by_text(row: PublishedRow, source: Source, *, short: bool = False) -> str:
    """Return who published figures, and what they were measured on: ``Zhang et al. 2017, table 1; KVM; H1 5
    %, H2 6 %``.
    """
    on = dict.fromkeys(hardware_text(figure, len(row.theirs)) for figure in row.theirs if figure.hardware)
    conditions = dict.fromkeys(figure.condition for figure in row.theirs if figure.condition)
    head = f"{source.authors} {source.year}, {row.place}"
    reported = (_listed(list(on), ", ", short=short), _listed(list(conditions), "; ", short=short))
    return "; ".join(part for part in (head, source.platform, *reported) if part)


def _listed(words: Sequence[str], between: str, *, short: bool) -> str:
    if short and len(words) > NAMED:
        return f"{words[0]} and {len(words) - 1} more"
    return between.join(words)


def hardware_text(figure: TheirFigure, count: int) -> str:
    """Return what a figure was measured on, with the figure where there are several: ``H1 17.68 %``."""
    return f"{figure.hardware} {printed_text(figure)}" if count > 1 else str(figure.hardware)


def theirs_text(row: PublishedRow) -> str:
    """Return the range of published figures: as a loss where they stand beside one, else as printed."""
    loss = row.unit is Unit.LOSS
    ends = [end for one in row.theirs for end in _ends(one, loss=loss)]
    unit = "%" if loss else row.theirs[0].printed_unit
    one_unit = len({one.printed_unit for one in row.theirs}) == 1
    if not one_unit or (not loss and any(one.printed for one in row.theirs)):
        return "; ".join(printed_text(one) for one in row.theirs)
    shown = range_text(min(ends), max(ends), unit, digits=4 if loss else 10)
    turned = loss and abs(ends[0] - row.theirs[0].printed_low) > ROUNDING
    return f"{shown} ({row.quantity} of {printed_text(row.theirs[0])})" if turned else shown


def printed_text(figure: TheirFigure) -> str:
    """Return a figure as it is printed, ``13 to 36 %``, ``more than 28 %``."""
    return figure.printed or range_text(figure.printed_low, figure.printed_high, figure.printed_unit)


def range_text(low: float, high: float, unit: str, *, digits: int = 10) -> str:
    """Return ``5 to 20 %``, or ``6.21 %`` of a single figure, with as many digits as it was printed with."""
    numbers = f"{low:.{digits}g}" if low == high else f"{low:.{digits}g} to {high:.{digits}g}"
    return numbers if unit == "1" else f"{numbers} {unit}"


def _ends(figure: TheirFigure, *, loss: bool) -> tuple[float, float]:
    if loss and figure.low is not None and figure.high is not None:
        return figure.low * 100, figure.high * 100
    return figure.printed_low, figure.printed_high


def _cells(row: PublishedRow, source: Source, *, short: bool) -> tuple[str, ...]:
    figure = row.metric or NOTHING
    return (
        row.workload or NOTHING,
        f"{figure}, {row.treatment}" if row.treatment else figure,
        _ours(row),
        theirs_text(row),
        row.what,
        by_text(row, source, short=short),
        str(row.inside or NOTHING),
    )


def _ours(row: PublishedRow) -> str:
    if row.unit is Unit.LOSS:
        return sized_text(row.value, row.low, row.high, row.blocks)
    if row.unit is Unit.EVENTS:
        return NOTHING if row.value is None else f"{row.value:g} events"
    return NOTHING if row.value is None else ends_text(row.value, row.low, row.high, unit=row.unit or "")


def _differs(shown: Published) -> Iterator[str]:
    """Yield what is not alike, each sentence once with the figures that it holds for."""
    named: dict[tuple[str, str], dict[str, None]] = {}
    for row in shown.rows:
        for sentence in row.differs:
            named.setdefault((sentence, row.figures), {})[row.workload or ""] = None
    for (sentence, figures), workloads in named.items():
        ours = ", ".join(filter(None, workloads))
        yield f"{ours} beside {figures}: {sentence}" if ours else f"{figures}: {sentence}"
