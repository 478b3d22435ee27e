"""From records to the blocks of one metric: values of both arms, and the session of each block."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Self

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
    """

    block: int
    baseline: tuple[float, ...]
    treatment: float | None
    session: int = 0

    @property
    def whole(self) -> bool:
        """Tell whether a slowdown can be formed: values on both arms, all of them above zero."""
        values = (*self.baseline, self.treatment or 0.0)
        return len(values) > 1 and min(values) > 0


def blocks_of(
    plan: ActivityPlan, records: Sequence[Trial], workload: Workload, metric: Metric
) -> list[Block]:
    """Return every planned block of one metric, measured or not."""
    sessions = sessions_of(records, gap_s=plan.goal.session_gap_s)
    ours: dict[int, list[Trial]] = {}
    for record in sorted(records, key=lambda record: record.planned.index):
        if record.planned.workload == workload.name:
            ours.setdefault(record.planned.block, []).append(record)
    return [_block(number, ours.get(number, []), metric, sessions) for number in range(plan.blocks)]


def _block(number: int, records: Sequence[Trial], metric: Metric, sessions: Mapping[int, int]) -> Block:
    values = {arm: [_value(r, metric) for r in records if r.planned.arm is arm] for arm in Arm}
    known = {arm: tuple(v for v in figures if v is not None) for arm, figures in values.items()}
    treatment = middle(known[Arm.TREATMENT])
    return Block(number, known[Arm.BASELINE], treatment, sessions.get(number, 0))


def _value(record: Trial, metric: Metric) -> float | None:
    values = [m.value for m in record.measurements if m.metric.name == metric.name]
    return values[0] if values else None


def middle(values: Sequence[float]) -> float | None:
    """Return the geometric mean; 0 where one value is not above it, ``None`` of nothing."""
    if len(values) < 2:
        return values[0] if values else None
    return math.exp(fmean(map(math.log, values))) if min(values) > 0 else 0.0


def slowdowns(blocks: Iterable[Block], direction: Direction) -> list[float]:
    """Return the log slowdown of each complete block."""
    return [log_slowdown(b.baseline, b.treatment, direction) for b in blocks if b.whole and b.treatment]


def times_of(blocks: Iterable[Block], direction: Direction) -> list[tuple[float, float]]:
    """Return the baseline's and the treatment's time of each complete block; of a rate its inverse, the time
    of one unit.
    """

    def time(value: float) -> float:
        return value if direction is Direction.LOWER else 1 / value

    return [(fmean(map(time, b.baseline)), time(b.treatment)) for b in blocks if b.whole and b.treatment]


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


def spans_of(records: Iterable[Trial]) -> dict[int, tuple[float, float]]:
    """Return begin and end of each block that has records, in seconds of the controller's wall clock."""
    spans: dict[int, tuple[float, float]] = {}
    for record in records.whole if isinstance(records, PartOf) else records:
        begun, ended = record.started_ns / NS, record.ended_ns / NS
        low, high = spans.get(record.planned.block, (begun, ended))
        spans[record.planned.block] = (min(low, begun), max(high, ended))
    return dict(sorted(spans.items()))


def sessions_of(records: Iterable[Trial], *, gap_s: float) -> dict[int, int]:
    """Return the session of each block that has records: a new one begins where nothing ran for so long.

    Args:
        records: Records of one activity.
        gap_s: Time without trials that separates two sessions, s.
    """
    spans = spans_of(records)
    labels, session = dict.fromkeys(list(spans)[:1], 0), 0
    for (_, (_, ended)), (block, (begun, _)) in pairwise(spans.items()):
        session += begun - ended >= gap_s
        labels[block] = session
    return labels
