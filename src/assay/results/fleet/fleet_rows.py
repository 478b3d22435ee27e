"""One metric over all machines: the fleet's loss, that of each class of hardware, and outliers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import stdev

from assay.model.figures.estimate import Estimate, Verdict
from assay.model.machines.fingerprint import flatten
from assay.model.machines.machine import Facts, Fingerprint
from assay.model.units import format_bytes
from assay.pages.context import Page, Row
from assay.pages.fleet import FleetRow, GroupLoss, MachineLoss, OtherFact, Outlier
from assay.stats.centre import Values
from assay.stats.outliers import outliers
from assay.stats.replication.fleet import fleet_loss
from assay.stats.verdicts.together import judged_together

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


Key = tuple[str, str, str | None]
Rows = Mapping[str, Row]
"""Rows of one metric, by machine."""


def fleet_rows(measured: Sequence[Measured], *, over: bool = True) -> tuple[FleetRow, ...]:
    """Return each metric that a machine has, in the order of the first that has it.

    The metrics of a treatment are judged together, as on one machine; those of each class of hardware
    likewise.

    Args:
        measured: What each machine came to.
        over: No machine measures any more. Before that there is no verdict: more would follow a look.
    """
    found: dict[Key, dict[str, Row]] = {}
    for one in measured:
        for row in one.page.estimates:
            found.setdefault((row.workload, row.metric, row.treatment), {}).setdefault(one.machine, row)
    if not found:
        return ()
    hardware = {one.machine: one.hardware for one in measured}
    classes = {key: _classes(rows, hardware) for key, rows in found.items()}
    result = measured[0].page.result
    groups = _Groups(result.confidence, result.margin, over=over)
    of_all = groups.judged(found)
    of_class = {
        name: groups.judged(
            {key: found_in[name] for key, found_in in classes.items() if name in found_in}, name
        )
        for name in dict.fromkeys(name for found_in in classes.values() for name in found_in)
    }
    facts = _Facts(measured)
    return tuple(
        FleetRow(
            workload=key[0],
            metric=key[1],
            unit=next(iter(rows.values())).unit,
            treatment=key[2],
            machines=tuple(_machine(name, row) for name, row in rows.items()),
            fleet=of_all[key],
            classes=tuple(of_class[name][key] for name in classes[key]) if len(classes[key]) > 1 else (),
            outliers=tuple(
                outlier for some in classes[key].values() for outlier in _outliers(some, facts, result.margin)
            ),
        )
        for key, rows in found.items()
    )


@dataclass(frozen=True)
class _Groups:
    """Judges groups of machines.

    Attributes:
        confidence: Of the rows of one treatment together.
        margin: Loss that does not matter.
        over: Whether there are verdicts.
    """

    confidence: float
    margin: float
    over: bool

    def judged(self, found: Mapping[Key, Rows], hardware: str | None = None) -> dict[Key, GroupLoss]:
        """Return the losses of groups of machines; those of one treatment are judged together."""
        logs = {key: _logs(rows) for key, rows in found.items()}
        made = {key: self._shown(None, 0, hardware) for key in found}
        for treatment in dict.fromkeys(key[2] for key in found):
            keys = [key for key, held in logs.items() if held and key[2] == treatment]
            judges = [partial(self._estimate, logs[key]) for key in keys]
            for key, estimate in zip(keys, judged_together(judges, self.confidence), strict=True):
                made[key] = self._shown(estimate, len(logs[key]), hardware)
        return made

    def _estimate(self, logs: Mapping[str, Values], confidence: float, strictest: float) -> Estimate:
        return fleet_loss(logs, confidence=confidence, margin=self.margin, strictest=strictest)

    def _shown(self, found: Estimate | None, machines: int, hardware: str | None) -> GroupLoss:
        if found is None:
            return GroupLoss(0, None, None, None, Verdict.NOT_MEASURED, hardware)
        verdict = found.verdict if self.over else Verdict.INCONCLUSIVE
        return GroupLoss(machines, found.loss, found.low, found.high, verdict, hardware)


def _logs(rows: Rows) -> dict[str, Values]:
    """Return the log slowdown of each machine that has one."""
    return {name: [math.log(row.slowdown)] for name, row in rows.items() if row.slowdown}


def _classes(rows: Rows, hardware: Mapping[str, str | None]) -> dict[str | None, dict[str, Row]]:
    """Return the rows of the machines of each class that have a loss."""
    groups: dict[str | None, dict[str, Row]] = {}
    for name, row in rows.items():
        if row.slowdown:
            groups.setdefault(hardware[name], {})[name] = row
    return groups


def _machine(name: str, row: Row) -> MachineLoss:
    return MachineLoss(name, row.baseline_value, row.loss, row.low, row.high, row.verdict)


def _outliers(rows: Rows, facts: _Facts, margin: float) -> Iterator[Outlier]:
    least = math.log1p(margin)
    losses = {name: math.log(row.slowdown) for name, row in rows.items() if row.slowdown}
    errors = {name: _error([*_slowdowns(row)]) for name, row in rows.items()}
    for name, others in outliers(losses, errors, least=least).items():
        alone = facts.alone(name, rows)
        yield Outlier(name, "loss", -math.expm1(-losses[name]), -math.expm1(-others), alone)
    values = {name: math.log(row.baseline_value) for name, row in rows.items() if row.baseline_value}
    errors = {name: _error([*_baselines(row)]) for name, row in rows.items()}
    for name, others in outliers(values, errors, least=least).items():
        yield Outlier(name, "baseline", math.exp(values[name]), math.exp(others), facts.alone(name, rows))


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


Field = tuple[str, str]


class _Facts:
    """The facts of machines, each read once, and what the machines of a class share.

    Args:
        measured: The machines.
    """

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._of: dict[str, Mapping[Field, object]] = {
            one.machine: flatten(one.fingerprint) for one in measured if one.fingerprint is not None
        }
        self._counted: dict[tuple[str, ...], Mapping[Field, Counter[str]]] = {}

    def alone(self, name: str, of: Iterable[str]) -> tuple[OtherFact, ...]:
        """Return the facts in which a machine differs from what most others of its class share."""
        mine, others = self._of.get(name), [one for one in of if one in self._of and one != name]
        if mine is None or len(others) < LEAST_OTHERS:
            return ()
        return tuple(self._alone(mine, others, self._counts((*others, name))))

    def _counts(self, names: Sequence[str]) -> Mapping[Field, Counter[str]]:
        """Return how many machines have each value of each fact."""
        key = tuple(sorted(names))
        if key not in self._counted:
            fields = {field for name in key for field in self._of[name]}
            self._counted[key] = {
                field: Counter(repr(self._of[name].get(field)) for name in key) for field in fields
            }
        return self._counted[key]

    def _alone(
        self, mine: Mapping[Field, object], others: Sequence[str], counts: Mapping[Field, Counter[str]]
    ) -> Iterator[OtherFact]:
        for field in sorted(counts):
            own = repr(mine.get(field))
            unlike = (one for one in counts[field].most_common(2) if one[0] != own)
            shared, count = next(unlike, ("", 0))
            if count >= MOST * len(others):
                theirs = next(value for name in others if repr(value := self._of[name].get(field)) == shared)
                yield OtherFact(".".join(field), _spelled(mine.get(field)), _spelled(theirs))


def _spelled(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
