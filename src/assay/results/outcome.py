"""From the records of an activity to the page of its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from assay.design import activity_state, ending_of
from assay.design.extension import in_force, is_begun
from assay.design.remembered import remembering
from assay.design.sweep import View, views_of, within
from assay.explain.sanity import Sampled
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.trial import Arm, PlannedTrial, State, Trial
from assay.pages.context import DoubtCount, Page, Result, ResultState, Row, TrialPoint
from assay.pages.families.events import EventScan
from assay.pages.families.scaling import Scaling
from assay.pages.score import Score
from assay.report.method.method import method_sentences
from assay.results.doubts.disturbed import is_swamped
from assay.results.doubts.ranked import ranked
from assay.results.doubts.rejections import rejections_of
from assay.results.doubts.result import activity_doubts, treatment_doubts, trial_doubts
from assay.results.families.landscapes import landscapes
from assay.results.families.layouts import layout_maps
from assay.results.families.scalings import scalings
from assay.results.families.scans import event_scans, scan_doubts
from assay.results.families.weights import guest_weights
from assay.results.losses.badge import badge_of
from assay.results.losses.correction import correct_rows
from assay.results.losses.figures import usage_on_host_clock
from assay.results.losses.next_steps import next_commands
from assay.results.losses.own_clock import values_of, with_uncorrected
from assay.results.losses.path_shares import path_shares
from assay.results.losses.rows import rows_of
from assay.results.losses.score import scores
from assay.results.losses.spans import host_use, phase_spans, probe_use
from assay.results.losses.together import machine_parts
from assay.results.methods.method import method_of
from assay.results.methods.system import systems_of
from assay.results.publications.published import published_of

STATES: dict[ActivityState, ResultState] = {
    ActivityState.COMPLETE: "complete",
    ActivityState.PARTIAL: "partial",
    ActivityState.INTERRUPTED: "interrupted",
    ActivityState.FAILED: "failed",
}


def build_page(
    plan: ActivityPlan,
    records: Sequence[Trial],
    *,
    rejected: Sequence[Trial] = (),
    sampled: Mapping[str, Sampled] | None = None,
) -> Page:
    """Return the page of a result: the same records always give the same page.

    Args:
        plan: The activity's plan; of an extension that has no record yet only the next commands tell.
        records: Records of its trials; all figures come from them.
        rejected: Records of the trials that were run again, which are only counted.
        sampled: What was sampled, by the name of the trial; ``None`` leaves out the doubts that need it.
    """
    with remembering():
        return _page(plan, tuple(records), rejected, sampled)


def _page(
    plan: ActivityPlan,
    records: tuple[Trial, ...],
    rejected: Sequence[Trial],
    sampled: Mapping[str, Sampled] | None,
) -> Page:
    begun, plan = is_begun(plan, records), in_force(plan, records)
    done = {record.planned.index: record for record in records}
    state = activity_state(plan, records)
    needed = plan.trials if ending_of(plan, records) is None else [t for t in plan.trials if t.index in done]
    early = state is ActivityState.INTERRUPTED
    parts = [_part(plan, view, rejected, sampled, early=early) for view in views_of(plan, records)]
    swamped = is_swamped(records)
    rows = in_order(part.rows for part in parts)
    if swamped:  # more of such blocks would not decide what these do not
        rows = tuple(replace(row, blocks_more=None, hours_more=None) for row in rows)
    scans = tuple(scan for part in parts for scan in part.scans)
    weights = guest_weights(plan, records)
    return Page(
        result=_result(plan, records, state),
        estimates=rows,
        trials=tuple(_point(plan, planned, done.get(planned.index)) for planned in needed),
        doubts=ranked(
            (*activity_doubts(plan, records), *_doubts_of(parts), *trial_doubts(plan, records)),
        ),
        method=method_sentences(method_of(plan, records)),
        badge=badge_of(plan, records),
        next=next_commands(plan, rows, left=early or not begun, swamped=swamped),
        rejections=rejections_of(plan, records, rejected),
        scans=scans,
        scalings=tuple(scaling for part in parts for scaling in part.scalings),
        scores=tuple(score for part in parts for score in part.scores),
        layouts=layout_maps(plan, records, rows, early=early),
        landscapes=landscapes(plan, rows),
        weights=weights,
        path_shares=path_shares(plan, rows),
        machines=machine_parts(plan, records),
        published=published_of(plan, records, rows=rows, scans=scans, weights=weights),
        systems=systems_of(plan, records),
    )


@dataclass(frozen=True)
class _Part:
    """What is said of one treatment; its label is ``None`` where it is the only one."""

    label: str | None
    rows: tuple[Row, ...]
    doubts: tuple[DoubtCount, ...]
    scans: tuple[EventScan, ...]
    scalings: tuple[Scaling, ...]
    scores: tuple[Score, ...]


def _part(
    whole: ActivityPlan,
    view: View,
    rejected: Sequence[Trial],
    sampled: Mapping[str, Sampled] | None,
    *,
    early: bool,
) -> _Part:
    plan, records = view.plan, view.records
    measured = with_uncorrected(plan, records, tuple(rows_of(plan, records, early=early)), early=early)
    rows = correct_rows(plan, measured, early=early)
    scans = tuple(event_scans(plan, records))
    again = [trial for trial in rejected if within(whole, trial.planned, view.level)]
    doubts = (*treatment_doubts(plan, records, rows, rejected=again, sampled=sampled), *scan_doubts(scans))
    shown, rates = tuple(scan.shown for scan in scans), tuple(scalings(plan, records, sampled))
    part = _Part(None, rows, doubts, shown, rates, tuple(scores(plan, rows, early=early)))
    against = None if plan.baseline == whole.baseline else plan.baseline.label
    return _named(part, plan.treatment.label, against) if whole.more else part


def _named(part: _Part, label: str, against: str | None) -> _Part:
    """Say of which of several treatments a part is, and over what where that is not the baseline."""
    return _Part(
        label,
        tuple(replace(row, treatment=label, against=against) for row in part.rows),
        part.doubts,
        tuple(replace(scan, workload=f"{scan.workload}, {label}") for scan in part.scans),
        tuple(replace(scaling, workload=f"{scaling.workload}, {label}") for scaling in part.scalings),
        tuple(replace(score, treatment=label) for score in part.scores),
    )


def _doubts_of(parts: Sequence[_Part]) -> Iterator[DoubtCount]:
    """Yield the doubts of all treatments; one that several share is said once, with their names."""
    labels: dict[DoubtCount, list[str | None]] = {}
    for part in parts:
        for doubt in part.doubts:
            labels.setdefault(doubt, []).append(part.label)
    for doubt, of in labels.items():
        names = [label for label in of if label is not None and label not in doubt.sentence]
        reported = "; ".join(names) if len(of) < len(parts) or len(parts) == 1 else ""
        yield replace(doubt, sentence=f"{reported}: {doubt.sentence}") if reported else doubt


def _result(plan: ActivityPlan, records: Sequence[Trial], state: ActivityState) -> Result:
    platforms = [record.platform for record in records if record.platform]
    return Result(
        id=plan.id,
        scene=plan.label,
        title=plan.title,
        state=STATES[state],
        started=_time(min((r.started_ns for r in records), default=plan.created_ns)),
        ended=_time(max((r.ended_ns for r in records), default=plan.created_ns)),
        seed=plan.seed,
        confidence=plan.confidence,
        margin=plan.margin,
        blocks_planned=plan.blocks,
        baseline=plan.baseline.label,
        treatment=plan.treatments_label,
        accelerator=platforms[0].accelerator if platforms else None,
        command=plan.command,
    )


def _time(clock_ns: int) -> str:
    return datetime.fromtimestamp(clock_ns / 1e9, UTC).isoformat(timespec="seconds")


def _point(plan: ActivityPlan, planned: PlannedTrial, record: Trial | None) -> TrialPoint:
    usage = usage_on_host_clock(record) if record else None
    return TrialPoint(
        index=planned.index,
        name=planned.name,
        block=planned.block,
        order=planned.slot,
        arm=planned.arm,
        treatment=plan.arm_of(planned).label if plan.more and planned.arm is Arm.TREATMENT else None,
        replicate=planned.replicate,
        workload=planned.workload,
        state=record.state if record else State.WAITING,
        cause=record.cause if record else None,
        exit_code=record.exit_code if record else None,
        metrics=values_of(record),
        wall_s=usage.wall_s if usage else None,
        user_s=usage.user_s if usage else None,
        system_s=usage.system_s if usage else None,
        doubts=tuple(doubt.code for doubt in record.doubts) if record else (),
        phases=phase_spans(record) if record and usage else (),
        probe=probe_use(record.probe, record.usage.wall_s if record.usage else None) if record else None,
        host_probe=host_use(record) if record else None,
    )


def in_order(parts: Iterable[tuple[Row, ...]]) -> tuple[Row, ...]:
    """Return the rows of all treatments by workload and metric, in each the treatments in their order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for rows in parts:
        for row in rows:
            groups.setdefault((row.workload, row.metric), []).append(row)
    return tuple(row for rows in groups.values() for row in rows)
