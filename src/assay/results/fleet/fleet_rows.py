"""One metric over all machines: the fleet's loss, that of each class of hardware, and outliers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev

from assay.model.figures.estimate import Verdict
from assay.model.machines.fingerprint import flatten
from assay.model.machines.machine import Facts, Fingerprint
from assay.model.units import format_bytes
from assay.pages.context import Page, Row
from assay.pages.fleet import FleetRow, GroupLoss, MachineLoss, OtherFact, Outlier
from assay.stats.outliers import outliers
from assay.stats.replication.fleet import fleet_loss

MOST = 2 / 3
"""A value of a fact that so many others of a class share is that of the class."""
LEAST_OTHERS = 2


@dataclass(frozen=True)
class Measured:
    """What a machine came to.

    Attributes:
        machine: Its name.
        page: The page of its lane.
        fingerprint: Its baseline's machine as it was; ``None`` where none was kept.
    """

    machine: str
    page: Page
    fingerprint: Fingerprint | None

    @property
    def hardware(self) -> str | None:
        """Its class; ``None`` is not known."""
        return None if self.fingerprint is None else hardware_of(self.fingerprint.facts)


def hardware_of(facts: Facts) -> str:
    """Return the class of a machine: machines of one class have the same processors and about as much
    memory.
    """
    memory = format_bytes(round(facts.memory_bytes / 2**30) * 2**30)
    return f"{facts.cpu_model or facts.architecture}, {len(facts.cpus)} processors, {memory}"


def fleet_rows(measured: Sequence[Measured]) -> tuple[FleetRow, ...]:
    """Return each metric that a machine has, in the order of the first that has it."""
    keys = dict.fromkeys(_key(row) for one in measured for row in one.page.estimates)
    return tuple(_row(key, measured) for key in keys)


Key = tuple[str, str, str | None]


def _key(row: Row) -> Key:
    return row.workload, row.metric, row.treatment


def _row(key: Key, measured: Sequence[Measured]) -> FleetRow:
    found = {one.machine: row for one in measured for row in one.page.estimates if _key(row) == key}
    first, page = next(iter(found.values())), measured[0].page
    asked = page.result.confidence, page.result.margin
    classes = _classes(one for one in measured if one.machine in found and found[one.machine].slowdown)
    shown = tuple(_group(_some(found, names), *asked, hardware=of) for of, names in classes.items())
    unlike = [
        outlier
        for names in classes.values()
        for outlier in _outliers(_some(found, names), measured, page.result.margin)
    ]
    return FleetRow(
        workload=first.workload,
        metric=first.metric,
        unit=first.unit,
        treatment=first.treatment,
        machines=tuple(_machine(name, row) for name, row in found.items()),
        fleet=_group(found, *asked),
        classes=shown if len(shown) > 1 else (),
        outliers=tuple(unlike),
    )


def _some(rows: Mapping[str, Row], names: Iterable[str]) -> dict[str, Row]:
    return {name: rows[name] for name in names}


def _classes(measured: Iterable[Measured]) -> dict[str | None, list[str]]:
    groups: dict[str | None, list[str]] = {}
    for one in measured:
        groups.setdefault(one.hardware, []).append(one.machine)
    return groups


def _machine(name: str, row: Row) -> MachineLoss:
    return MachineLoss(name, row.baseline_value, row.loss, row.low, row.high, row.verdict)


def _group(
    rows: Mapping[str, Row], confidence: float, margin: float, hardware: str | None = None
) -> GroupLoss:
    logs = {name: [math.log(row.slowdown)] for name, row in rows.items() if row.slowdown}
    if not logs:
        return GroupLoss(0, None, None, None, Verdict.NOT_MEASURED, hardware)
    found = fleet_loss(logs, confidence=confidence, margin=margin)
    return GroupLoss(len(logs), found.loss, found.low, found.high, found.verdict, hardware)


def _outliers(rows: Mapping[str, Row], measured: Sequence[Measured], margin: float) -> Iterator[Outlier]:
    prints = {one.machine: one.fingerprint for one in measured if one.machine in rows}
    least = math.log1p(margin)
    losses = {name: math.log(row.slowdown) for name, row in rows.items() if row.slowdown}
    errors = {name: _error([*_slowdowns(row)]) for name, row in rows.items()}
    for name, others in outliers(losses, errors, least=least).items():
        yield Outlier(name, "loss", -math.expm1(-losses[name]), -math.expm1(-others), _differs(name, prints))
    values = {name: math.log(row.baseline_value) for name, row in rows.items() if row.baseline_value}
    errors = {name: _error([*_baselines(row)]) for name, row in rows.items()}
    for name, others in outliers(values, errors, least=least).items():
        yield Outlier(name, "baseline", math.exp(values[name]), math.exp(others), _differs(name, prints))


def _slowdowns(row: Row) -> Iterator[float]:
    for block in row.blocks_data:
        values = [math.log(value) for value in block.baseline if value > 0]
        if values and block.treatment is not None and block.treatment > 0:
            yield math.log(block.treatment) - sum(values) / len(values)


def _baselines(row: Row) -> Iterator[float]:
    for block in row.blocks_data:
        values = [math.log(value) for value in block.baseline if value > 0]
        if values:
            yield sum(values) / len(values)


def _error(values: Sequence[float]) -> float | None:
    """Return the standard error of a mean; ``None`` below two values."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def _differs(name: str, prints: Mapping[str, Fingerprint | None]) -> tuple[OtherFact, ...]:
    """Return the facts in which a machine differs from what most others of its class share."""
    own = prints[name]
    others = [flatten(one) for machine, one in prints.items() if machine != name and one is not None]
    if own is None or len(others) < LEAST_OTHERS:
        return ()
    mine = flatten(own)
    return tuple(_differing(mine, others))


def _differing(
    mine: Mapping[tuple[str, str], object], others: Sequence[Mapping[tuple[str, str], object]]
) -> Iterator[OtherFact]:
    for key in sorted({*mine, *(field for one in others for field in one)}):
        counts = Counter(repr(one.get(key)) for one in others)
        shared, count = counts.most_common(1)[0]
        if count >= MOST * len(others) and repr(mine.get(key)) != shared:
            theirs = next(one.get(key) for one in others if repr(one.get(key)) == shared)
            yield OtherFact(".".join(key), _spelled(mine.get(key)), _spelled(theirs))


def _spelled(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
