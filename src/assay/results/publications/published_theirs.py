"""Published figures in the unit of ours, and whether they lie in our interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.model.figures.published import PublishedFigure, PublishedSpec, Quantity
from assay.pages.published import Inside, PublishedRow, TheirFigure, Unit
from assay.report.tables.published_notes import row_differences
from assay.results.publications.published_ours import Ours

DIGITS = 12
"""Of a fraction that was printed as a percentage: what lies behind them is the binary form's."""


def published_row(
    wanted: PublishedSpec, theirs: Sequence[PublishedFigure], ours: Ours | None
) -> PublishedRow:
    """Return a row of the page.

    Args:
        wanted: What the scene says.
        theirs: The published figures.
        ours: What they stand beside; ``None`` for nothing.
    """
    first = theirs[0]
    figures = tuple(_figure(figure, ours, turned=wanted.turned) for figure in theirs)
    return PublishedRow(
        figures=wanted.figures,
        quantity=first.quantity,
        what=first.what,
        place=first.place,
        publication=first.publication,
        workload=ours.workload if ours else None,
        metric=ours.metric if ours else None,
        treatment=ours.treatment if ours else None,
        unit=ours.unit if ours else None,
        value=ours.value if ours else None,
        low=ours.low if ours else None,
        high=ours.high if ours else None,
        theirs=figures,
        inside=_inside(ours, figures) if ours else None,
        differs=(*row_differences(wanted, has_ours=ours is not None), *_notes(theirs)),
        blocks=ours.blocks if ours else None,
    )


def _notes(theirs: Sequence[PublishedFigure]) -> Iterable[str]:
    """Return what else is to be known of published figures, each sentence once."""
    return dict.fromkeys(figure.note for figure in theirs if figure.note)


def as_loss(figure: PublishedFigure, *, turned: bool) -> tuple[float, float]:
    """Return a published loss or gain as the ends of a loss, the lower first; fractions.

    Args:
        figure: A loss or a gain in percent; a gain is taken as throughput won, which is a negative loss.
        turned: The loss of the way back: where t of the throughput is kept one way, 1/t is the other way.
    """
    sign = -1.0 if figure.quantity is Quantity.GAIN else 1.0
    ends = [round(sign * end / 100, DIGITS) for end in (figure.low, figure.high)]
    if turned:
        ends = [1 - 1 / (1 - end) for end in ends]
    return min(ends), max(ends)


def _figure(figure: PublishedFigure, ours: Ours | None, *, turned: bool) -> TheirFigure:
    low: float | None = None
    high: float | None = None
    if ours is not None:
        loss = ours.unit is Unit.LOSS
        low, high = as_loss(figure, turned=turned) if loss else (figure.low, figure.high)
    return TheirFigure(
        low=low,
        high=high,
        printed_low=figure.low,
        printed_high=figure.high,
        printed_unit=figure.unit,
        hardware=figure.hardware,
        condition=figure.condition,
        printed=figure.printed,
    )


WIDEST = 0.5
"""Width of an interval of losses, a fraction, beyond which it holds almost any figure; of others, in their
own size.
"""


def _widest(ours: Ours) -> float:
    return WIDEST if ours.unit is Unit.LOSS or ours.value is None else 2 * WIDEST * abs(ours.value)


def _inside(ours: Ours, theirs: Sequence[TheirFigure]) -> Inside | None:
    lows = [figure.low for figure in theirs if figure.low is not None]
    highs = [figure.high for figure in theirs if figure.high is not None]
    if ours.low is None or ours.high is None or not lows:
        return None
    low, high = min(lows), max(highs)
    if ours.high - ours.low > _widest(ours):
        return Inside.NOT_COMPARABLE
    if ours.low <= low and high <= ours.high:
        return Inside.INSIDE
    return Inside.OUTSIDE if high < ours.low or low > ours.high else Inside.PARTLY
