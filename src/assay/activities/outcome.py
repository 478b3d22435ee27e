"""From the records of an activity to the page of its result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from assay.activities.doubts import result_doubts
from assay.activities.method import method_sentences
from assay.design import remaining_trials
from assay.model.activity import ActivityPlan
from assay.model.estimate import Estimate, Verdict
from assay.model.metric import Direction, Metric
from assay.model.trial import Arm, PlannedTrial, State, Trial
from assay.model.workload import Workload
from assay.report.context import BlockValues, Interval, Page, Result, ResultState, Row, TrialPoint, Value
from assay.stats import log_slowdown, paired_loss


def build_page(plan: ActivityPlan, records: Sequence[Trial]) -> Page:
    """Return the page of a result: the same records always give the same page."""
    rows = tuple(_rows(plan, records))
    done = {record.planned.index: record for record in records}
    state = result_state(plan, records, rows)
    return Page(
        result=_result(plan, records, state),
        estimates=rows,
        trials=tuple(_point(planned, done.get(planned.index)) for planned in plan.trials),
        doubts=result_doubts(plan, records, rows),
        method=method_sentences(plan, records),
        next=_next(plan, rows, interrupted=state == "interrupted"),
    )


@dataclass(frozen=True)
class Block:
    """One metric in one block; ``treatment`` is ``None`` where it was not measured."""

    block: int
    baseline: tuple[float, ...]
    treatment: float | None


def slowdowns(blocks: Iterable[Block], direction: Direction) -> list[float]:
    """Return the log slowdown of each complete block."""
    return [log_slowdown(b.baseline, b.treatment, direction) for b in blocks if b.baseline and b.treatment]


def _rows(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Row]:
    for workload in plan.workloads:
        for metric in workload.metrics:
            yield _row(plan, records, workload, metric)


def _row(plan: ActivityPlan, records: Sequence[Trial], workload: Workload, metric: Metric) -> Row:
    blocks = [_block(records, workload, metric, number) for number in range(plan.blocks)]
    logs = slowdowns(blocks, metric.direction)
    estimate = paired_loss(logs, confidence=plan.confidence, margin=plan.margin)
    treatment = [b.treatment for b in blocks if b.treatment]
    missing = estimate.verdict is Verdict.NOT_MEASURED
    return Row(
        workload=workload.name,
        metric=metric.name,
        unit=metric.unit,
        direction=metric.direction,
        baseline_value=_mean([value for b in blocks for value in b.baseline]),
        treatment_value=_mean(treatment),
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
        reason=_reason(records, workload, metric) if missing else None,
    )


def _block(records: Sequence[Trial], workload: Workload, metric: Metric, number: int) -> Block:
    here = [r for r in records if r.planned.block == number and r.planned.workload == workload.name]
    here.sort(key=lambda record: record.planned.index)
    baseline = [_value(r, metric) for r in here if r.planned.arm is Arm.BASELINE]
    treatment = [_value(r, metric) for r in here if r.planned.arm is Arm.TREATMENT]
    return Block(number, tuple(v for v in baseline if v), treatment[0] if treatment else None)


def _value(record: Trial, metric: Metric) -> float | None:
    values = [m.value for m in record.measurements if m.metric.name == metric.name]
    return values[0] if values else None


def _floor(plan: ActivityPlan, blocks: Sequence[Block], metric: Metric) -> Interval | None:
    """Estimate the baseline's second visit against its first, as if it were a treatment."""
    pairs = [Block(b.block, b.baseline[:1], b.baseline[1]) for b in blocks if len(b.baseline) > 1]
    floor: Estimate = paired_loss(slowdowns(pairs, metric.direction), confidence=plan.confidence)
    return Interval(floor.loss, floor.low, floor.high, floor.blocks) if floor.blocks else None


def _mean(values: Sequence[float]) -> float | None:
    return math.exp(fmean(math.log(value) for value in values)) if values else None


def _reason(records: Sequence[Trial], workload: Workload, metric: Metric) -> str:
    ours = [record for record in records if record.planned.workload == workload.name]
    failed = [record for record in ours if record.state is State.FAILED]
    if failed:
        return f"{failed[0].machine}: {failed[0].cause}"
    barred = [r for r in ours if _value(r, metric) is None]
    doubts = [d.sentence for r in barred for d in r.doubts if d.code.startswith("clock-")]
    return doubts[0] if doubts else "it was not run on both arms of any block"


def _result(plan: ActivityPlan, records: Sequence[Trial], state: ResultState) -> Result:
    platforms = [record.platform for record in records if record.platform]
    return Result(
        id=plan.id,
        scene=plan.scene,
        title=plan.title,
        state=state,
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


def result_state(plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row]) -> ResultState:
    """Return ``complete`` only if every metric was measured in every block."""
    if remaining_trials(plan.trials, {record.planned.index: record.state for record in records}):
        return "interrupted"
    if all(row.verdict is Verdict.NOT_MEASURED for row in rows):
        return "failed"
    return "complete" if all(row.blocks == plan.blocks for row in rows) else "partial"


def _time(clock_ns: int) -> str:
    return datetime.fromtimestamp(clock_ns / 1e9, UTC).isoformat(timespec="seconds")


def _point(planned: PlannedTrial, record: Trial | None) -> TrialPoint:
    usage = record.usage if record else None
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
    )


def _values(record: Trial | None) -> tuple[Value, ...]:
    measured = record.measurements if record else ()
    return tuple(Value(m.metric.name, m.metric.unit, m.value) for m in measured)


def _next(plan: ActivityPlan, rows: Sequence[Row], *, interrupted: bool) -> tuple[str, ...]:
    """Return what to type next; what is left to do comes first."""
    resume = [f"assay activity resume {plan.id}"] if interrupted else []
    undecided = any(row.verdict is Verdict.INCONCLUSIVE for row in rows)
    again = ["assay evaluate " + (plan.scene if plan.command is None else f"--command '{plan.command}'")]
    compare = [f"assay result compare {plan.id} last"]
    own = ["assay evaluate --command './my-job --events 100' --input ./my-job"]
    return (*resume, f"assay result show {plan.id}", *(again if undecided else []), *compare, *own)
