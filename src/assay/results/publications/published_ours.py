"""Which figures of a result published ones stand beside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.model.figures.published import PublishedFigure, PublishedSpec, Quantity
from assay.pages.context import Row
from assay.pages.families.events import EventScan
from assay.pages.families.weight import GuestWeights
from assay.pages.published import Unit
from assay.report.tables.published_notes import events_name, weight_name

MB = 1_000_000
_ON_CORES = re.compile(r" on \d+ cores?$")
"""What the label of overcommitted guests says of the machine's cores."""
_MEMBER = re.compile(r"(-[nc]\d+|(-s\d+[bkmgt])?(-r\d+[bkmgt])?)$")
"""What stands behind the name of one of several event numbers, numbers of copies or sizes."""


@dataclass(frozen=True)
class OwnFigures:
    """What a result found.

    Attributes:
        rows: Its losses.
        scans: Its scans of event numbers.
        weights: What its guests weighed.
    """

    rows: Sequence[Row]
    scans: Sequence[EventScan]
    weights: Sequence[GuestWeights]


@dataclass(frozen=True)
class Ours:
    """One figure of ours.

    Attributes:
        workload: Name of the workload; ``None`` of a weight.
        metric: What it is.
        treatment: Which of several treatments; ``None`` where there is one.
        unit: ``loss`` is a fraction.
        value: ``None`` is "not measured".
        low: Lower end of its interval; ``None`` where it has none.
        high: Upper end.
        blocks: Complete blocks of a loss.
    """

    workload: str | None
    metric: str
    treatment: str | None
    unit: Unit
    value: float | None
    low: float | None
    high: float | None
    blocks: int | None = None


def ours_for(wanted: PublishedSpec, figure: PublishedFigure, own: OwnFigures) -> Iterator[Ours]:
    """Yield the figures of a result that published ones stand beside.

    Args:
        wanted: What the scene says.
        figure: One of the published figures: what they are, and their unit.
        own: What the result found.
    """
    if not wanted.beside:
        return
    if figure.quantity is Quantity.MEMORY:
        yield from (_weight(one, figure.unit) for one in own.weights if _meant(wanted, one.label))
    elif figure.quantity is Quantity.EVENTS:
        yield from (_scan(scan) for scan in own.scans if scan.workload.partition(",")[0] in wanted.beside)
    else:
        rows = (row for row in own.rows if _named(wanted, row) and _meant(wanted, row.treatment))
        yield from (_loss(row) for row in rows)


def _named(wanted: PublishedSpec, row: Row) -> bool:
    """Tell whether a row is one of those named: by its workload, that of its family, or with its metric."""
    family = _MEMBER.sub("", row.workload)
    names = {row.workload, family}
    return any(name in wanted.beside or f"{name} {row.metric}" in wanted.beside for name in names)


def _meant(wanted: PublishedSpec, label: str | None) -> bool:
    if not wanted.treatments or label is None:
        return True
    plain = ", ".join(_ON_CORES.sub("", part) for part in label.split(", "))
    return label in wanted.treatments or plain in wanted.treatments


def _loss(row: Row) -> Ours:
    return Ours(row.workload, row.metric, row.treatment, Unit.LOSS, row.loss, row.low, row.high, row.blocks)


def _weight(one: GuestWeights, unit: str) -> Ours:
    amount, shown = one.beside_bytes, Unit.MB
    if unit == Unit.MB_PER_CORE:
        amount, shown = one.beside_bytes_per_vcpu, Unit.MB_PER_CORE
    values = (amount.value, amount.low, amount.high) if amount else (None, None, None)
    value, low, high = (None if number is None else number / MB for number in values)
    return Ours(None, weight_name(one.vcpus), one.label, shown, value, low, high)


def _scan(scan: EventScan) -> Ours:
    events = scan.events_within_margin
    workload, _, treatment = scan.workload.partition(", ")
    return Ours(workload, events_name(scan.margin), treatment or None, Unit.EVENTS, events, None, None)
