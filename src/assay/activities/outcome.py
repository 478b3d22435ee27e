"""From the records of an activity to the page of its result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean

from assay.activities.again import next_commands
from assay.activities.doubts import result_doubts
from assay.activities.figures import judge_clock
from assay.activities.method import method_sentences
from assay.activities.spans import phase_spans, probe_use
from assay.design import activity_state
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.estimate import Estimate
from assay.model.metric import Direction, Metric
from assay.model.trial import Arm, PlannedTrial, State, Trial, Usage
from assay.model.workload import Workload
from assay.report.context import Aim, BlockValues, Interval, Page, Result, ResultState, Row, TrialPoint, Value
from assay.stats import log_slowdown, paired_loss
from assay.workloads import phase_metrics

STATES: dict[ActivityState, ResultState] = {
    ActivityState.COMPLETE: "complete",
    ActivityState.PARTIAL: "partial",
    ActivityState.INTERRUPTED: "interrupted",
    ActivityState.FAILED: "failed",
}


def build_page(plan: ActivityPlan, records: Sequence[Trial]) -> Page:
    """Return the page of a result: the same records always give the same page."""
    rows = tuple(_rows(plan, records))
    done = {record.planned.index: record for record in records}
    state = activity_state(plan.trials, records)
    return Page(
        result=_result(plan, records, state),
        estimates=rows,
        trials=tuple(_point(planned, done.get(planned.index)) for planned in plan.trials),
        doubts=result_doubts(plan, records, rows),
        method=method_sentences(plan, records),
        next=next_commands(plan, rows, interrupted=state is ActivityState.INTERRUPTED),
    )


@dataclass(frozen=True)
class Block:
    """One metric in one block; ``treatment`` is ``None`` where it was not measured."""

    block: int
    baseline: tuple[float, ...]
    treatment: float | None

    @property
    def whole(self) -> bool:
        """Tell whether a slowdown can be formed: values on both arms, none of them zero."""
        return bool(self.baseline) and all(self.baseline) and bool(self.treatment)


def slowdowns(blocks: Iterable[Block], direction: Direction) -> list[float]:
    """Return the log slowdown of each complete block."""
    return [log_slowdown(b.baseline, b.treatment, direction) for b in blocks if b.whole and b.treatment]


def _rows(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Row]:
    for workload in plan.workloads:
        for metric in _metrics(records, workload):
            yield _row(plan, records, workload, metric)


def _metrics(records: Sequence[Trial], workload: Workload) -> Iterable[Metric]:
    """Return what the workload promises, and the phases that it told of beside."""
    ours = sorted((r for r in records if r.planned.workload == workload.name), key=lambda r: r.planned.index)
    told = (figure.metric for record in ours for figure in record.measurements)
    return {metric.name: metric for metric in (*workload.metrics, *told)}.values()


def _row(plan: ActivityPlan, records: Sequence[Trial], workload: Workload, metric: Metric) -> Row:
    blocks = [_block(records, workload, metric, number) for number in range(plan.blocks)]
    logs = slowdowns(blocks, metric.direction)
    estimate = paired_loss(logs, confidence=plan.confidence, margin=plan.margin)
    used = [b for b in blocks if b.whole] or blocks
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
        floor=_floor(plan, blocks, metric),
        blocks_data=tuple(BlockValues(b.block, b.baseline, b.treatment) for b in blocks),
        reason=_reason(records, workload, metric) if estimate.blocks < plan.blocks else None,
        mean=_mean_loss(estimate),
        aim=_aim(workload, metric),
    )


def _mean_loss(estimate: Estimate) -> Interval | None:
    mean = estimate.mean
    return Interval(mean.loss, mean.low, mean.high, estimate.blocks) if mean else None


def _aim(workload: Workload, metric: Metric) -> Aim:
    """Declare what a loss is a loss of."""
    copies = workload.placement.copies
    phase = metric.name.removesuffix("_time") if metric in phase_metrics_of(workload) else "total"
    return Aim(
        scope="this-session",
        regime=str(workload.cache.state) if workload.cache else "as-is",
        phase=phase,
        load="solo" if copies == 1 else f"full-node({copies} jobs)",
        metric=metric.name,
    )


def phase_metrics_of(workload: Workload) -> tuple[Metric, ...]:
    """Return the metrics of a workload's phases."""
    return () if workload.phases is None else phase_metrics(workload.phases)


def _block(records: Sequence[Trial], workload: Workload, metric: Metric, number: int) -> Block:
    here = [r for r in records if r.planned.block == number and r.planned.workload == workload.name]
    here.sort(key=lambda record: record.planned.index)
    baseline = [_value(r, metric) for r in here if r.planned.arm is Arm.BASELINE]
    treatment = [_value(r, metric) for r in here if r.planned.arm is Arm.TREATMENT]
    return Block(number, tuple(v for v in baseline if v is not None), treatment[0] if treatment else None)


def _value(record: Trial, metric: Metric) -> float | None:
    values = [m.value for m in record.measurements if m.metric.name == metric.name]
    return values[0] if values else None


def _floor(plan: ActivityPlan, blocks: Sequence[Block], metric: Metric) -> Interval | None:
    """Estimate the baseline's second visit against its first, as if it were a treatment."""
    pairs = [Block(b.block, b.baseline[:1], b.baseline[1]) for b in blocks if len(b.baseline) > 1]
    floor: Estimate = paired_loss(slowdowns(pairs, metric.direction), confidence=plan.confidence)
    return Interval(floor.loss, floor.low, floor.high, floor.blocks) if floor.blocks else None


def _mean(values: Sequence[float]) -> float | None:
    if not values or not all(values):
        return 0.0 if values else None
    return math.exp(fmean(math.log(value) for value in values))


def _reason(records: Sequence[Trial], workload: Workload, metric: Metric) -> str:
    ours = [record for record in records if record.planned.workload == workload.name]
    failed = [record for record in ours if record.state is State.FAILED]
    if failed:
        return f"{failed[0].machine}: {failed[0].cause}"
    if any(_value(r, metric) == 0 for r in ours):
        return "0 was measured: no slowdown can be formed with it"
    barred = [r for r in ours if _value(r, metric) is None]
    doubts = [d.sentence for r in barred for d in r.doubts if d.code.startswith("clock-")]
    if barred and not doubts:
        return "the job did not tell of it in every trial"
    return doubts[0] if doubts else "it was not run on both arms of every block"


def _result(plan: ActivityPlan, records: Sequence[Trial], state: ActivityState) -> Result:
    platforms = [record.platform for record in records if record.platform]
    return Result(
        id=plan.id,
        scene=plan.scene,
        title=plan.title,
        state=STATES[state],
        started=_time(min((r.started_ns for r in records), default=plan.created_ns)),
        ended=_time(max((r.ended_ns for r in records), default=plan.created_ns)),
        seed=plan.seed,
        confidence=plan.confidence,
        margin=plan.margin,
        blocks_planned=plan.blocks,
        baseline=plan.baseline.label,
        treatment=plan.treatment.label,
        accelerator=platforms[0].accelerator if platforms else None,
        command=plan.command,
    )


def _time(clock_ns: int) -> str:
    return datetime.fromtimestamp(clock_ns / 1e9, UTC).isoformat(timespec="seconds")


def _point(planned: PlannedTrial, record: Trial | None) -> TrialPoint:
    usage = _usage(record)
    return TrialPoint(
        index=planned.index,
        name=planned.name,
        block=planned.block,
        order=planned.slot,
        arm=planned.arm,
        replicate=planned.replicate,
        workload=planned.workload,
        state=record.state if record else State.WAITING,
        cause=record.cause if record else None,
        exit_code=record.exit_code if record else None,
        metrics=_values(record),
        wall_s=usage.wall_s if usage else None,
        user_s=usage.user_s if usage else None,
        system_s=usage.system_s if usage else None,
        doubts=tuple(doubt.code for doubt in record.doubts) if record else (),
        phases=phase_spans(record) if record and usage else (),
        probe=probe_use(record.probe, record.usage.wall_s if record.usage else None) if record else None,
    )


def _usage(record: Trial | None) -> Usage | None:
    """Return a trial's totals on the host's clock; ``None`` where its own clock is not trusted."""
    rate = judge_clock(record.clock).rate if record else None
    if record is None or record.usage is None or rate is None:
        return None
    usage = record.usage
    return replace(
        usage, wall_s=usage.wall_s / rate, user_s=usage.user_s / rate, system_s=usage.system_s / rate
    )


def _values(record: Trial | None) -> tuple[Value, ...]:
    measured = record.measurements if record else ()
    return tuple(Value(m.metric.name, m.metric.unit, m.value) for m in measured)
