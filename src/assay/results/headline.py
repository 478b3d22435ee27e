"""What a result says first: how much is left of what it is compared with, in machines, energy and money."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean

from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Verdict
from assay.pages.context import Page, Row
from assay.pages.fleet import FleetPage, FleetRow, GroupLoss
from assay.pages.headline import Cost, Headline, Left, Site
from assay.workloads.command import WALL

MOST_LINES = 8
EVENTS = 1e6
"""Events whose energy and price are told."""
RATE = "events/s"
"""Unit of the metrics that tell of events."""


EACH = "each machine's baseline"
"""What a result of several machines is compared with."""


@dataclass(frozen=True)
class Work:
    """What a trial works off, and on how much.

    Attributes:
        events: Events of a workload, all its copies together, by its name, as far as that is known.
        machines: How many machines a trial takes; ``None`` where arms take different numbers.
    """

    events: Mapping[str, int] = field(default_factory=dict)
    machines: int | None = 1


NOTHING_KNOWN = Work()


def work_of(plan: ActivityPlan) -> Work:
    """Return what the trials of a plan work off, and on how many machines each."""
    told = {one.name: one.events for one in plan.workloads if one.copies_inside == 1}
    copies = {one.name: one.placement.copies for one in plan.workloads}
    events = {name: count * copies[name] for name, count in told.items() if count}
    machines = {len(arm.each_machine) for arm in plan.arms}
    return Work(events, machines.pop() if len(machines) == 1 else None)


def headline_of(page: Page, site: Site, work: Work = NOTHING_KNOWN) -> Headline | None:
    """Return what a result says first, of the metric that its scene puts first; ``None`` without one.

    Args:
        page: The result.
        site: What the site says of itself.
        work: What its trials work off: where no rate of events was measured, their wall time tells it.
    """
    first = next((row for row in page.estimates if row.loss is not None), None)
    if first is None:
        return None
    rows = [row for row in page.estimates if _named(row) == _named(first) and row.loss is not None]
    lines = tuple(_left(page, row, site, work) for row in rows[:MOST_LINES])
    return Headline(first.workload, first.metric, _whole(page), lines, len(rows) - len(lines), site)


def fleet_headline(
    page: FleetPage, site: Site, treatment: str, work: Work = NOTHING_KNOWN
) -> Headline | None:
    """Return what a result of several machines says first: how much is left over all of them, of the metric
    that its scene puts first; ``None`` without one.

    Args:
        page: The result.
        site: What the site says of itself.
        treatment: Label of the treatment where there is one.
        work: As of ``headline_of``.
    """
    first = next((row for row in page.rows if row.fleet.loss is not None), None)
    if first is None:
        return None
    rows = [row for row in page.rows if _named(row) == _named(first) and row.fleet.loss is not None]
    lines = tuple(_left_of_all(page, row, site, treatment, work) for row in rows[:MOST_LINES])
    return Headline(first.workload, first.metric, EACH, lines, len(rows) - len(lines), site)


def _left_of_all(page: FleetPage, row: FleetRow, site: Site, treatment: str, work: Work) -> Left:
    group = row.fleet
    assert group.loss is not None  # noqa: S101 - the caller has looked
    machines = machines_like(group, site.machines)
    alike = [one for one in page.rows if one.treatment == row.treatment]
    rates = _fleet_rates(alike, work.events)
    return Left(
        treatment=row.treatment or treatment,
        left=1 - group.loss,
        low=None if group.high is None else 1 - group.high,
        high=None if group.low is None else 1 - group.low,
        blocks=None,
        verdict=group.verdict,
        matters=None,
        machines=machines[0],
        machines_low=machines[1],
        machines_high=machines[2],
        cost=_cost(rates, row.workload, site, work),
    )


def _fleet_rates(rows: Sequence[FleetRow], events: Mapping[str, int]) -> Iterator[EventRate]:
    """Yield rates as of one machine: the geometric mean over those that have a loss."""
    rated = {row.workload for row in rows if row.unit == RATE}
    for row in rows:
        held = [one.baseline_value for one in row.machines if one.loss is not None and one.baseline_value]
        if not held or row.fleet.loss is None:
            continue
        mean, left = geometric_mean(held), 1 - row.fleet.loss
        if row.unit == RATE:
            yield EventRate(row, mean, mean * left)
        elif _tells_events(row, rated) and (count := events.get(row.workload)):
            yield EventRate(row, count / mean, count / mean * left, count)


def _tells_events(row: Row | FleetRow, rated: Collection[str]) -> bool:
    """Tell whether the wall time of known events is their rate: no other of its workload was measured."""
    return row.metric == WALL.name and row.workload not in rated


def _named(row: Row | FleetRow) -> tuple[str, str]:
    return row.workload, row.metric


def _whole(page: Page) -> str:
    """Return what is compared with: bare metal where nothing carries it."""
    label = page.result.baseline
    bare = [one.platform is None and one.below is None for one in page.systems if one.label == label]
    return "the bare metal" if bare and all(bare) else label


def _left(page: Page, row: Row, site: Site, work: Work) -> Left:
    assert row.loss is not None  # noqa: S101 - the caller has looked
    machines = machines_like(row, site.machines)
    alike = [one for one in page.estimates if one.treatment == row.treatment]
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
        cost=_cost(_rates(alike, work.events), row.workload, site, work),
    )


def machines_like(
    row: Row | GroupLoss, machines: int | None
) -> tuple[float | None, float | None, float | None]:
    """Return how many machines of so many do what is lost, with its interval: the loss times their number;
    nothing where no loss and no gain was found.
    """
    called = row.verdict in {Verdict.LOSS, Verdict.GAIN}
    if machines is None or row.loss is None or row.low is None or row.high is None or not called:
        return None, None, None
    return machines * row.loss, machines * row.low, machines * row.high


def _cost(rates: Iterable[EventRate], workload: str, site: Site, work: Work) -> Cost | None:
    """Return what events take, of a workload's own rate where it has one."""
    if site.watts is None or work.machines is None:
        return None
    own_first = sorted(rates, key=lambda one: one.row.workload != workload)
    return cost_of(own_first[0], work.machines * site.watts, site.price_kwh) if own_first else None


@dataclass(frozen=True)
class EventRate:
    """How many events pass a second.

    Attributes:
        row: What tells it.
        baseline: On the baseline.
        treatment: On the treatment.
        events: Events that its wall time is of; ``None`` where the rate itself was measured.
    """

    row: Row | FleetRow
    baseline: float
    treatment: float
    events: int | None = None


def cost_of(rate: EventRate, watts: float, price_kwh: float | None) -> Cost:
    """Return what a million events take.

    Args:
        rate: How many pass a second.
        watts: Power of the machines that a trial takes, at work.
        price_kwh: Price of a kWh; ``None`` where none was given.
    """
    here, there = (_kwh(one, watts) for one in (rate.baseline, rate.treatment))
    return Cost(
        workload=rate.row.workload,
        metric=rate.row.metric,
        baseline_kwh=here,
        treatment_kwh=there,
        baseline_price=None if price_kwh is None else here * price_kwh,
        treatment_price=None if price_kwh is None else there * price_kwh,
        events=rate.events,
    )


def _rates(rows: Sequence[Row], events: Mapping[str, int]) -> Iterator[EventRate]:
    """Yield the rates that were measured; of workloads that have none those that their wall times tell."""
    rated = {row.workload for row in rows if row.unit == RATE}
    for row in rows:
        here, there = row.baseline_value, row.treatment_value
        if not here or not there:
            continue
        if row.unit == RATE:
            yield EventRate(row, here, there)
        elif _tells_events(row, rated) and (count := events.get(row.workload)):
            yield EventRate(row, count / here, count / there, count)


def _kwh(events_per_s: float, watts: float) -> float:
    return EVENTS / events_per_s / 3600 * watts / 1000
