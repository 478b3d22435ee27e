"""What a result says first: how much is left of what it is compared with, in machines, energy and money."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.figures.estimate import Verdict
from assay.pages.context import Page, Row
from assay.pages.headline import Cost, Headline, Left, Site

MOST_LINES = 8
EVENTS = 1e6
"""Events whose energy and price are told."""
RATE = "events/s"
"""Unit of the metrics that tell of events."""


def headline_of(page: Page, site: Site) -> Headline | None:
    """Return what a result says first, of the metric that its scene puts first; ``None`` without one."""
    first = next((row for row in page.estimates if row.loss is not None), None)
    if first is None:
        return None
    rows = [row for row in page.estimates if _named(row) == _named(first) and row.loss is not None]
    lines = tuple(_left(page, row, site) for row in rows[:MOST_LINES])
    return Headline(first.workload, first.metric, _whole(page), lines, len(rows) - len(lines), site)


def _named(row: Row) -> tuple[str, str]:
    return row.workload, row.metric


def _whole(page: Page) -> str:
    """Return what is compared with: bare metal where nothing carries it."""
    label = page.result.baseline
    bare = [one.platform is None and one.below is None for one in page.systems if one.label == label]
    return "the bare metal" if bare and all(bare) else label


def _left(page: Page, row: Row, site: Site) -> Left:
    assert row.loss is not None  # noqa: S101 - the caller has looked
    machines = machines_like(row, site.machines)
    return Left(
        treatment=row.treatment or page.result.treatment,
        left=1 - row.loss,
        low=None if row.high is None else 1 - row.high,
        high=None if row.low is None else 1 - row.low,
        blocks=row.blocks,
        verdict=row.verdict,
        matters=row.matters,
        machines=machines[0],
        machines_low=machines[1],
        machines_high=machines[2],
        cost=_cost(page.estimates, row, site),
    )


def machines_like(row: Row, machines: int | None) -> tuple[float | None, float | None, float | None]:
    """Return how many machines of so many do what is lost, with its interval: the loss times their number;
    nothing where no loss and no gain was found.
    """
    called = row.verdict in {Verdict.LOSS, Verdict.GAIN}
    if machines is None or row.loss is None or row.low is None or row.high is None or not called:
        return None, None, None
    return machines * row.loss, machines * row.low, machines * row.high


def _cost(rows: Sequence[Row], of: Row, site: Site) -> Cost | None:
    if site.watts is None:
        return None
    for row in sorted(rows, key=lambda one: one.workload != of.workload):  # its own events come first
        if row.unit == RATE and row.treatment == of.treatment and row.baseline_value and row.treatment_value:
            here, there = (_kwh(rate, site.watts) for rate in (row.baseline_value, row.treatment_value))
            price = site.price_kwh
            prices = (None, None) if price is None else (here * price, there * price)
            return Cost(row.workload, row.metric, here, there, *prices)
    return None


def _kwh(events_per_s: float, watts: float) -> float:
    return EVENTS / events_per_s / 3600 * watts / 1000
