"""The cells of an activity on several machines: machines, metrics, outliers."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.fleet import FleetPage, FleetRow, GroupLoss, LaneStand, LaneSummary, OtherFact, Outlier
from assay.pages.numbers import interval_text, percent_text, value_text
from assay.report.tables.words import verdict_name

MACHINES = ("machine", "state", "trials", "hardware", "why not")
LANES = ("machine", "state", "trials", "why not")
METRICS = ("workload", "metric", "of", "machines", "loss", "verdict")
SHOWN_FACTS = 6
"""Facts in which an outlier differs that are named; the others are counted."""


def machine_cells(lane: LaneSummary) -> tuple[str, ...]:
    """Return the cells of a machine, by ``MACHINES``."""
    *stands, why = lane_cells(lane)
    return *stands, lane.hardware or "-", why


def lane_cells(lane: LaneStand) -> tuple[str, ...]:
    """Return the cells of how far a machine is, by ``LANES``."""
    why = "" if lane.stopped is None else f"{lane.stopped.failure}: {lane.stopped.message}"
    trials = f"{lane.done}/{lane.trials}" if lane.trials else "-"
    return lane.machine, lane.state, trials, why


def metric_cells(row: FleetRow) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a metric, by ``METRICS``: the fleet, and each class of hardware."""
    metric = row.metric if row.treatment is None else f"{row.metric}, {row.treatment}"
    for group in (row.fleet, *row.classes):
        of = group.hardware or ("all machines" if group is row.fleet else "-")
        yield row.workload, metric, of, str(group.machines), _loss(group), verdict_name(group.verdict)


def _loss(group: GroupLoss) -> str:
    return interval_text(group.loss, group.low, group.high)


def fleet_headline(page: FleetPage) -> str:
    """Return the outcome in a line: the first metric of the fleet, and how many outliers there are."""
    if not page.rows:
        return "nothing was measured"
    row = page.rows[0]
    unlike = len({one.machine for each in page.rows for one in each.outliers})
    named = f"; {unlike} outlier{'' if unlike == 1 else 's'}" if unlike else ""
    return f"{row.workload} {row.metric}: {verdict_name(row.fleet.verdict)} {_loss(row.fleet)}{named}"


def outlier_sentences(page: FleetPage) -> Iterator[str]:
    """Yield a sentence for each machine that is unlike the others of its class."""
    for row in page.rows:
        for outlier in row.outliers:
            yield outlier_sentence(row, outlier)


def outlier_sentence(row: FleetRow, outlier: Outlier) -> str:
    """Say in what a machine is unlike the others, and what it has alone."""
    which = f"{row.workload} {row.metric}{'' if row.treatment is None else f', {row.treatment}'}"
    own, others = outlier.value, outlier.others
    if outlier.of == "loss":
        said = f"loses {_percent(own)} in {which}, the others of its class {_percent(others)}"
    else:
        said = (
            f"has {value_text(own)} {row.unit} on its baseline in {which}, the others of its class "
            f"{value_text(others)} ({_percent(own / others - 1)})"
        )
    return f"{outlier.machine} {said}; {_differs(outlier.differs)}"


def _percent(share: float) -> str:
    return percent_text(round(share, 3))


def _differs(facts: tuple[OtherFact, ...]) -> str:
    if not facts:
        return "no fact that is seen is another"
    shown = facts[:SHOWN_FACTS]
    named = "; ".join(
        f"{one.field} is {_value(one.value)}, of the others {_value(one.others)}" for one in shown
    )
    more = f"; and {len(facts) - SHOWN_FACTS} more facts" if len(facts) > SHOWN_FACTS else ""
    return f"what it has alone: {named}{more}"


def _value(value: str | None) -> str:
    text = "none" if value is None else value
    return text if len(text) <= 60 else f"{text[:57]}…"
