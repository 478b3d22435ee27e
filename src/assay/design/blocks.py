"""From records to the blocks of one metric: values of both arms, and the session of each block."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Self

from assay.design.remembered import remembered
from assay.model.activity import ActivityPlan
from assay.model.metric import Direction, Metric
from assay.model.trial import Arm, Trial
from assay.model.work.workload import Workload
from assay.stats import log_slowdown

NS = 1e9


@dataclass(frozen=True)
class Block:
    """One metric in one block.

    Attributes:
        block: Its number from 0.
        baseline: Values of the baseline in the order of its trials.
        treatment: Geometric mean of the treatment's values; ``None`` where it was not measured.
        session: Its session from 0.
        treated: The treatment's values, of which that is the mean, in the order of its trials.
    """

    block: int
    baseline: tuple[float, ...]
    treatment: float | None
    session: int = 0
    treated: tuple[float, ...] = ()

    @property
    def whole(self) -> bool:
        """Tell whether a slowdown can be formed: values on both arms, all of them above zero."""
        values = (*self.baseline, self.treatment or 0.0)
        return len(values) > 1 and min(values) > 0


@remembered
def blocks_of(
    plan: ActivityPlan, records: Sequence[Trial], workload: Workload, metric: Metric
) -> list[Block]:
    """Return every planned block of one metric, measured or not."""
    sessions = sessions_of(records, gap_s=plan.goal.session_gap_s)
    values = _values(records, workload.name)
    return [_block(number, values.get((metric.name, number), {}), sessions) for number in range(plan.blocks)]


def _block(number: int, values: Mapping[Arm, Sequence[float]], sessions: Mapping[int, int]) -> Block:
    baseline, treated = (tuple(values.get(arm, ())) for arm in (Arm.BASELINE, Arm.TREATMENT))
    return Block(number, baseline, middle(treated), sessions.get(number, 0), treated)


@remembered
def _values(
    records: Sequence[Trial], workload: str
) -> Mapping[tuple[str, int], Mapping[Arm, Sequence[float]]]:
    """Return the values of each metric of a workload in each block, by arm, in the order of the trials."""
    found: dict[tuple[str, int], dict[Arm, list[float]]] = {}
    for record in sorted(records, key=lambda record: record.planned.index):
        if record.planned.workload != workload:
            continue
        first = {measured.metric.name: measured.value for measured in reversed(record.measurements)}
        for name, value in first.items():
            if value is not None:
                place = found.setdefault((name, record.planned.block), {})
                place.setdefault(record.planned.arm, []).append(value)
    return found


def middle(values: Sequence[float]) -> float | None:
    """Return the geometric mean; 0 where one value is not above it, ``None`` of nothing."""
    if len(values) < 2:
        return values[0] if values else None
    return math.exp(fmean(map(math.log, values))) if min(values) > 0 else 0.0


def slowdowns(blocks: Iterable[Block], direction: Direction) -> list[float]:
    """Return the log slowdown of each complete block."""
    return [log_slowdown(b.baseline, b.treatment, direction) for b in blocks if b.whole and b.treatment]


def times_of(blocks: Iterable[Block], direction: Direction) -> list[tuple[float, float]]:
    """Return the baseline's and the treatment's time of each complete block, means over the trials of each;
    of a rate its inverse, the time of one unit.
    """

    def time(value: float) -> float:
        return value if direction is Direction.LOWER else 1 / value

    return [
        (fmean(map(time, b.baseline)), fmean(map(time, b.treated or (b.treatment,))))
        for b in blocks
        if b.whole and b.treatment
    ]


@remembered
def metrics_of(records: Iterable[Trial], workload: Workload) -> tuple[Metric, ...]:
    """Return what a workload promises, and the phases that it told of beside."""
    ours = sorted((r for r in records if r.planned.workload == workload.name), key=lambda r: r.planned.index)
    reported = (figure.metric for record in ours for figure in record.measurements)
    return tuple({metric.name: metric for metric in (*workload.metrics, *reported)}.values())


class PartOf(tuple[Trial, ...]):
    """Records of a part of an activity that know all of it: what lay between them was no pause.

    Attributes:
        whole: The records of the whole activity.
    """

    whole: tuple[Trial, ...]

    def __new__(cls, part: Iterable[Trial], whole: Iterable[Trial]) -> Self:
        """Make a part of the records of an activity."""
        made = super().__new__(cls, part)
        made.whole = tuple(whole)
        return made


def whole_of(records: Iterable[Trial]) -> Iterable[Trial]:
    """Return the records of the whole activity, where these know them."""
    return records.whole if isinstance(records, PartOf) else records


def spans_of(records: Iterable[Trial]) -> dict[int, tuple[float, float]]:
    """Return begin and end of each block that has records, in seconds of the controller's wall clock."""
    spans: dict[int, tuple[float, float]] = {}
    for record in whole_of(records):
        begun, ended = record.started_ns / NS, record.ended_ns / NS
        low, high = spans.get(record.planned.block, (begun, ended))
        spans[record.planned.block] = (min(low, begun), max(high, ended))
    return dict(sorted(spans.items()))


@remembered
def sessions_of(records: Iterable[Trial], *, gap_s: float) -> dict[int, int]:
    """Return the session of each block that has records: a new one begins where nothing ran for so long. A
    block that was cut off in one and ended in another is of the latter.

    Args:
        records: Records of one activity.
        gap_s: Time without trials that separates two sessions, s.
    """
    last = {
        record.planned.block: number for number, held in enumerate(_held(records, gap_s)) for record in held
    }
    numbers = {session: number for number, session in enumerate(sorted(set(last.values())))}
    return {block: numbers[session] for block, session in sorted(last.items())}


def lasted_s(records: Iterable[Trial], *, gap_s: float) -> float:
    """Return the time from the first start to the last end of each session, all of them together, s."""
    return sum(
        max(record.ended_ns for record in held) / NS - min(record.started_ns for record in held) / NS
        for held in _held(records, gap_s)
    )


def _held(records: Iterable[Trial], gap_s: float) -> Iterator[list[Trial]]:
    """Yield the records of each session, by their starts."""
    held: list[Trial] = []
    ended = -math.inf
    for record in sorted(whole_of(records), key=lambda one: one.started_ns):
        if held and record.started_ns / NS - ended >= gap_s:
            yield held
            held = []
        held.append(record)
        ended = max(ended, record.ended_ns / NS)
    if held:
        yield held
