"""What speaks against trusting a whole result, each with a next step."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.explain.sanity import Gain, Pair, Sampled, pairs, sanity_doubts, score_against_wall
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt, Raised, raised
from assay.model.figures.estimate import Verdict
from assay.model.trial import Arm, State, Trial
from assay.pages.context import DoubtCount, Row
from assay.report.doubts import counted
from assay.results.doubts.arms_differ import changed, hardware, programs
from assay.results.doubts.disturbed import CODE, disturbance
from assay.results.doubts.file_sizes import size_doubts
from assay.results.doubts.level_doubts import level_doubts
from assay.results.doubts.rejections import rejection_doubts
from assay.results.doubts.worst import worst_of
from assay.results.losses.controller_use import controller_doubts
from assay.results.losses.same_result import result_doubts
from assay.workloads import runs_for_a_time


def activity_doubts(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[DoubtCount, ...]:
    """Return what only the whole activity shows."""
    ordered = sorted(records, key=lambda record: record.planned.index)
    whole: tuple[Doubt | Raised, ...] = (
        *_planned(plan),
        *_failed(plan, ordered),
        *_emulated(records),
        *_virtual_host(plan, records),
        *hardware(plan, records),
        *changed(plan, ordered),
        *programs(plan, records),
        *result_doubts(ordered),
        *controller_doubts(plan, records),
    )
    return tuple(counted(doubt) for doubt in whole)


def treatment_doubts(
    plan: ActivityPlan,
    records: Sequence[Trial],
    rows: Sequence[Row],
    *,
    rejected: Sequence[Trial] = (),
    sampled: Mapping[str, Sampled] | None = None,
) -> tuple[DoubtCount, ...]:
    """Return what one treatment shows against its baseline.

    Args:
        plan: What was planned, of that treatment.
        records: What ran of it.
        rows: What came of it.
        rejected: What was run again.
        sampled: What was sampled, by the name of the trial; ``None`` leaves out the checks that need it.
    """
    ordered = sorted(records, key=lambda record: record.planned.index)
    trial_pairs = pairs(plan, ordered, sampled)
    checked = sanity_doubts(trial_pairs, tuple(_gains(rows)), interval_s=plan.observation.interval_s)
    whole: tuple[Doubt | Raised, ...] = (
        *size_doubts(plan, records),
        *checked,
        *_scores(trial_pairs),
        *_noise(rows),
        *level_doubts(plan, records),
        *rejection_doubts(records, rejected),
    )
    return tuple(counted(doubt) for doubt in whole)


def _scores(trial_pairs: Sequence[Pair]) -> Iterator[Raised]:
    """Hold scores against wall times; what runs for a given time has the same one whatever it gets done."""
    for pair in trial_pairs:
        if not runs_for_a_time(pair.workload):
            yield from score_against_wall(pair)


def trial_doubts(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[DoubtCount, ...]:
    """Return the doubts of trials, counted by code."""
    return tuple(_of_trials(plan, sorted(records, key=lambda record: record.planned.index)))


def _of_trials(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[DoubtCount]:
    """Count the doubts of trials by code; the sentence is the worst one's, with its place and the median of
    all.
    """
    held: dict[str, list[tuple[Trial, Doubt]]] = defaultdict(list)
    for record in records:
        for doubt in {d.code: d for d in record.doubts}.values():
            held[doubt.code].append((record, doubt))
    for code, of_code in held.items():
        if code == CODE and (reported := disturbance(records, [record for record, _ in of_code])) is not None:
            yield counted(reported, len(of_code))
            continue
        names = sorted({r.planned.workload for r, _ in of_code})
        (record, doubt), rank = worst_of(of_code)
        where = f"{_label(plan, record)}, block {record.planned.block}, {record.planned.workload}"
        where = f"{rank}: {where}" if rank else where
        others = f"; in all: {', '.join(names)}" if len(of_code) > 1 else ""
        yield counted(replace(doubt, sentence=f"{doubt.sentence} ({where}{others})"), len(of_code))


def _label(plan: ActivityPlan, record: Trial) -> str:
    return plan.arm_of(record.planned).label


def _planned(plan: ActivityPlan) -> Iterator[Doubt]:
    return (Doubt(code, sentence) for code, sentence in plan.doubts)


def _failed(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Failed trials are in no figure: what is left may be the lucky part."""
    failed = [record for record in records if record.state is State.FAILED]
    if failed:
        cause, often = Counter(record.cause for record in failed).most_common(1)[0]
        first = next(record for record in failed if record.cause == cause)
        names = sorted({f"{record.planned.workload} on {_label(plan, record)}" for record in failed})
        yield raised(
            "trials-failed",
            failed=len(failed),
            trials=len(records),
            names=tuple(names),
            often=often,
            block=first.planned.block,
            cause=cause,
        )


def _emulated(records: Sequence[Trial]) -> Iterator[Raised]:
    platform = next((record.platform for record in records if record.platform), None)
    if platform is not None and platform.accelerator == "tcg":
        both = any(record.platform for record in records if record.planned.arm is Arm.BASELINE)
        yield raised("emulated", both=both, why=platform.why)


def _virtual_host(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    if plan.baseline.guest is not None:
        return
    facts = next((r.facts for r in records if r.planned.arm is Arm.BASELINE), None)
    if facts is not None and facts.hypervisor:
        yield raised("host-is-virtual", hostname=facts.hostname)


def _gains(rows: Sequence[Row]) -> Iterator[Gain]:
    """Return where the treatment beats its baseline, one a workload: that is to be explained."""
    faster: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.verdict is Verdict.GAIN and row.slowdown:
            faster[row.workload].append(row)
    for workload, gains in faster.items():
        yield Gain(workload, tuple(row.metric for row in gains), gains[0].slowdown or 1.0)


def _noise(rows: Sequence[Row]) -> Iterator[Raised]:
    """Say where the baseline's own visits differ; their intervals are judged together, so chance seldom
    leaves zero out.
    """
    floors = [(row, row.floor) for row in rows if row.floor is not None]
    loud = tuple(
        f"{row.workload} {row.metric}"
        for row, floor in floors
        if floor.low is not None and floor.high is not None and (floor.low > 0 or floor.high < 0)
    )
    if loud:
        yield raised("floor-not-zero", metrics=loud)
