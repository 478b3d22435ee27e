"""From the records of an activity to one row a metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from assay.design.barred import barred
from assay.design.blocks import Block, blocks_of, metrics_of, slowdowns
from assay.design.ending import block_s, metered, wanted_of
from assay.design.stopping import Metered, estimates
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Estimate
from assay.model.goal import Shape
from assay.model.metric import Metric
from assay.model.trial import State, Trial
from assay.model.work.workload import Workload
from assay.pages.context import Aim, BlockValues, Interval, Row
from assay.report.tables.reasons import ONE_ARM, UNTOLD, no_slowdown
from assay.results.losses.parallelism import threads_of
from assay.results.losses.same_result import without_loss
from assay.stats.replication.resolution import resolution_of
from assay.stats.replication.sessions import Asked, block_loss
from assay.stats.verdicts.together import judged_together
from assay.stats.verdicts.verdict import matters_of, within_margin
from assay.workloads import phase_metrics


def rows_of(plan: ActivityPlan, records: Sequence[Trial], *, early: bool) -> Iterator[Row]:
    """Yield one row a metric, in the order shown.

    Args:
        plan: What was planned, of one treatment.
        records: What ran.
        early: Trials are left to run.
    """
    wanted = wanted_of(plan, early=early)
    measured = [
        _measured(plan, records, w, metric) for w in plan.workloads for metric in metrics_of(records, w)
    ]
    judged = iter(estimates([one.metered for one in measured if one.barred is None], wanted))
    for one, floor in zip(measured, _floors(plan, measured), strict=True):
        estimate = next(judged) if one.barred is None else one.metered.estimate(wanted)
        row = replace(_row(plan, records, one, estimate), floor=floor)
        yield row if one.barred is None else without_loss(row, one.barred)


@dataclass(frozen=True)
class _Measured:
    """What was measured of one metric; ``barred`` says why it bears no loss."""

    workload: Workload
    metric: Metric
    blocks: Sequence[Block]
    metered: Metered
    barred: str | None


def _measured(plan: ActivityPlan, records: Sequence[Trial], workload: Workload, metric: Metric) -> _Measured:
    blocks = blocks_of(plan, records, workload, metric)
    figure = metered(plan, workload, metric, blocks)
    return _Measured(workload, metric, blocks, figure, barred(records, workload, metric))


def _used(blocks: Sequence[Block]) -> Sequence[Block]:
    return [block for block in blocks if block.whole] or blocks


def _row(plan: ActivityPlan, records: Sequence[Trial], one: _Measured, estimate: Estimate) -> Row:
    workload, metric, blocks, used = one.workload, one.metric, one.blocks, _used(one.blocks)
    ran = len({record.planned.block for record in records}) if plan.goal.adaptive else plan.blocks
    return Row(
        workload=workload.name,
        metric=metric.name,
        unit=metric.unit,
        direction=metric.direction,
        baseline_value=_mean([value for b in used for value in b.baseline]),
        treatment_value=_mean([b.treatment for b in used if b.treatment is not None]),
        loss=estimate.loss,
        low=estimate.low,
        high=estimate.high,
        confidence=estimate.confidence,
        slowdown=estimate.slowdown,
        blocks=estimate.blocks,
        verdict=estimate.verdict,
        blocks_more=estimate.blocks_more,
        method=estimate.method,
        floor=None,
        blocks_data=tuple(BlockValues(b.block, b.baseline, b.treatment, b.session) for b in blocks),
        reason=_reason(records, workload, metric) if estimate.blocks < ran else None,
        mean=_mean_loss(estimate),
        aim=_aim(workload, metric, records, session=one.metered.sessions < 2 and one.metered.floor is None),
        within_margin=within_margin(estimate, plan.margin),
        matters=matters_of(estimate, plan.margin),
        hours_more=_hours_more(plan, records, estimate.blocks_more),
    )


def _hours_more(plan: ActivityPlan, records: Sequence[Trial], blocks: int | None) -> float | None:
    return None if blocks is None else blocks * block_s(plan, records) / 3600


def _mean_loss(estimate: Estimate) -> Interval | None:
    mean = estimate.mean
    return Interval(mean.loss, mean.low, mean.high, estimate.blocks) if mean else None


def _aim(workload: Workload, metric: Metric, records: Sequence[Trial], *, session: bool) -> Aim:
    """Declare what a loss is a loss of; of one session alone where nothing is known of others."""
    total = "total" if workload.events is None else f"total({workload.events})"
    phase = metric.name.removesuffix("_time") if metric in phase_metrics_of(workload) else total
    return Aim(
        scope="this-session" if session else "this-machine",
        regime=str(workload.cache.state) if workload.cache else "as-is",
        phase=phase,
        load=_load(workload, records),
        metric=metric.name,
    )


def _load(workload: Workload, records: Sequence[Trial]) -> str:
    """Return ``solo``, ``full-node(k jobs)`` where copies x threads fill the processors of both arms, or ``k
    jobs``.
    """
    copies = workload.all_copies
    if copies == 1:
        return "solo"
    ours = [record for record in records if record.planned.workload == workload.name]
    most = max((len(record.limits.cpus or record.facts.cpus) for record in ours), default=math.inf)
    return f"full-node({copies} jobs)" if threads_of(workload) >= most else f"{copies} jobs"


def phase_metrics_of(workload: Workload) -> tuple[Metric, ...]:
    """Return the metrics of a workload's phases."""
    return () if workload.phases is None else phase_metrics(workload.phases)


def _value(record: Trial, metric: Metric) -> float | None:
    values = [m.value for m in record.measurements if m.metric.name == metric.name]
    return values[0] if values else None


def _floors(plan: ActivityPlan, measured: Sequence[_Measured]) -> list[Interval | None]:
    """Estimate the baseline's second visits against its first, as if they were a treatment whose rows are
    judged together.
    """
    if plan.goal.shape is not Shape.DOUBLE or plan.goal.runs > 1:
        return [None] * len(measured)
    return [
        _interval(one) for one in judged_together([partial(_floor, one) for one in measured], plan.confidence)
    ]


def _floor(one: _Measured, confidence: float, strictest: float) -> Estimate:
    pairs = [Block(b.block, b.baseline[:1], b.baseline[1]) for b in one.blocks if len(b.baseline) > 1]
    whole = [(pair.baseline[0], pair.treatment) for pair in pairs if pair.whole and pair.treatment]
    seen = resolution_of(*zip(*whole, strict=True)) if whole else None
    asked = Asked(confidence, strictest=strictest, resolution=seen)
    return block_loss(slowdowns(pairs, one.metric.direction), 1, asked)


def _interval(floor: Estimate) -> Interval | None:
    """Return what is shown of a floor; blocks without scatter have no interval, as they bring no verdict."""
    if not floor.blocks:
        return None
    known = all(doubt.code != "no-scatter" for doubt in floor.doubts)
    return Interval(floor.loss, floor.low if known else None, floor.high if known else None, floor.blocks)


def _mean(values: Sequence[float]) -> float | None:
    if not values or min(values) <= 0:
        return 0.0 if values else None
    return math.exp(fmean(math.log(value) for value in values))


_BARS = ("clock-", "no-figure")
"""Codes of doubts that say why a figure has no value."""


def _reason(records: Sequence[Trial], workload: Workload, metric: Metric) -> str:
    ours = [record for record in records if record.planned.workload == workload.name]
    failed = [record for record in ours if record.state is State.FAILED]
    if failed:
        return f"{failed[0].machine}: {failed[0].cause}"
    if (least := min((v for v in (_value(r, metric) for r in ours) if v is not None), default=1.0)) <= 0:
        return no_slowdown(least)
    barred = [r for r in ours if _value(r, metric) is None]
    doubts = [d.sentence for r in barred for d in r.doubts if d.code.startswith(_BARS)]
    if barred and not doubts:
        return UNTOLD
    return doubts[0] if doubts else ONE_ARM
