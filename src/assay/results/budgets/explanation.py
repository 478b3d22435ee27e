"""Where the loss of each workload went: from records to budgets as a page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from assay.design.sweep import View, views_of
from assay.explain.budget import Budget, budget
from assay.explain.causes import Cause, causes
from assay.explain.cpu import cpu_shares
from assay.explain.gained import Gained, gained
from assay.explain.waterfall import waterfall
from assay.model.activity import ActivityPlan
from assay.model.trial import State, Trial
from assay.model.work.accounting import OUTSIDE
from assay.model.work.workload import Workload
from assay.pages.budget import (
    BudgetPart,
    BudgetShown,
    BudgetStep,
    CauseShown,
    CpuFactor,
    FactorName,
    GainName,
    GainShown,
    StepName,
)
from assay.pages.context import Row
from assay.report.tables.budget import divided_time
from assay.report.tables.budget_notes import note_sentences
from assay.results.budgets.budget_notes import notes_of
from assay.results.budgets.counted import counted_figures, mean_work, seen
from assay.results.budgets.phased import phase_shares
from assay.results.budgets.spent import Blocks, Spent, spent_by, times_of, whole_blocks
from assay.results.losses.parallelism import parallelism_of, threads_of
from assay.results.losses.work import rates_of
from assay.workloads.command import JOB, WALL

_MISCOUNTED = "container-cpu-count"
"""The doubt of a trial whose CPU time was told wrong: a wall time cannot be divided by it."""


def budgets(
    plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row], folder: Path
) -> tuple[BudgetShown, ...]:
    """Return the budget of each workload that has a complete block; of several machines there is none, since
    the time of an arm is on the processors of all of them.

    Args:
        plan: What was planned.
        records: The records of all trials.
        rows: The estimates, whose losses are the headlines.
        folder: The activity's folder, with the series.
    """
    if plan.several_machines:
        return ()
    return tuple(
        _named(shown, view, plan)
        for workload in plan.workloads
        for view in views_of(plan, records)
        for shown in _budgets(view.plan, view.records, _rows_of(view, rows), folder, workload)
    )


def _named(shown: BudgetShown, view: View, plan: ActivityPlan) -> BudgetShown:
    """Say of which of several treatments a budget is, and over what where that is not the baseline."""
    if not plan.more:
        return shown
    base = view.plan.baseline
    against = None if base == plan.baseline else base.label
    return replace(shown, treatment=view.plan.treatment.label, against=against)


def _rows_of(view: View, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.treatment in {None, view.plan.treatment.label}]


def _budgets(
    plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row], folder: Path, workload: Workload
) -> Iterator[BudgetShown]:
    ended = (r for r in records if r.state is State.ENDED)
    ours = [r for r in ended if r.planned.workload == workload.name]
    if any(doubt.code == _MISCOUNTED for record in ours for doubt in record.doubts):
        return
    if workload.program in OUTSIDE:  # the CPU time is that of the engine's command alone
        return
    rates = rates_of(workload)
    parallelism = parallelism_of(workload, ours)
    blocks = whole_blocks(
        spent_by(ours, folder, rates=rates, parallelism=parallelism, threads=threads_of(workload))
    )
    if blocks:
        made = budget([times_of(pair) for pair in blocks.values()], confidence=plan.confidence)
        labels = (plan.baseline.label, plan.treatment.label)
        shown = _shown(workload, made, blocks, parallelism=parallelism, labels=labels)
        yield _with_headline(_with_phases(shown, ours, confidence=plan.confidence), rows)


def _with_phases(shown: BudgetShown, trials: Sequence[Trial], *, confidence: float) -> BudgetShown:
    """Set beside a budget what several jobs that ran at once tell of their phases."""
    shares, cold = phase_shares(trials, confidence=confidence)
    own = () if cold is None else (_cause(cold),)
    both = tuple(sorted((*shown.causes, *own), key=lambda cause: -cause.contribution))
    return replace(shown, by_phase=shares, causes=both)


def _shown(
    workload: Workload, made: Budget, blocks: Blocks, *, parallelism: int, labels: tuple[str, str]
) -> BudgetShown:
    base, treated = arms = _arms(blocks)
    threads = threads_of(workload)
    here, there = (
        seen(label, arm, parallelism=parallelism, threads=threads)
        for label, arm in zip(labels, arms, strict=True)
    )
    rates = tuple(rate.name for rate in rates_of(workload))
    loss_causes, notes = causes(made, here, there), notes_of((*base, *treated))
    return BudgetShown(
        workload=workload.name,
        time=divided_time(rates),
        metrics=rates or ((JOB if JOB in workload.metrics else WALL).name,),
        parallelism=parallelism,
        blocks=len(blocks),
        loss=made.loss.value,
        low=made.loss.low,
        high=made.loss.high,
        headline=None,
        headline_low=None,
        headline_high=None,
        baseline_s=made.baseline_s,
        treatment_s=made.treatment_s,
        io_from=notes.io_from,
        queue_from=notes.queue_from,
        parts=tuple(_parts(made)),
        steps=tuple(_steps(made)),
        cpu=tuple(_factors(blocks, parallelism=parallelism, confidence=made.confidence)),
        causes=tuple(_cause(cause) for cause in loss_causes),
        counted=counted_figures(base, treated),
        notes=tuple(note_sentences(notes)),
        gains=tuple(_gain(gain) for gain in gained(made, loss_causes, there.label)),
    )


def _with_headline(shown: BudgetShown, rows: Sequence[Row]) -> BudgetShown:
    """Set the loss of the one metric whose time is divided beside the budget's own; it rules the
    causes too.
    """
    matching = [row for row in rows if row.workload == shown.workload and row.metric in shown.metrics]
    if len(matching) != 1:
        return shown
    row = matching[0]
    clear = row.low is not None and row.low > 0
    shown = replace(shown, headline=row.loss, headline_low=row.low, headline_high=row.high)
    return shown if clear else replace(shown, causes=(), gains=())


def _arms(blocks: Blocks) -> tuple[list[Spent], list[Spent]]:
    base = [one for trials, _ in blocks.values() for one in trials]
    return base, [one for _, trials in blocks.values() for one in trials]


def _parts(made: Budget) -> Iterator[BudgetPart]:
    for part in made.parts:
        share = part.contribution
        yield BudgetPart(
            part.phase,
            part.category.value,
            part.baseline_s,
            part.treatment_s,
            share.value,
            share.low,
            share.high,
        )


def _steps(made: Budget) -> Iterator[BudgetStep]:
    for step in waterfall(made):
        category: StepName = step.category.value if step.category else "small"
        low, high = step.share.low, step.share.high
        yield BudgetStep(step.phase, category, step.together, step.start, step.end, low, high)


def _cause(cause: Cause) -> CauseShown:
    part = cause.contribution
    return CauseShown(
        cause.code, cause.sentence, cause.next, part.value, part.low, part.high, cause.share, cause.overlaps
    )


def _gain(gain: Gained) -> GainShown:
    part = gain.contribution
    name: GainName = gain.category.value if gain.category else "later"
    return GainShown(name, gain.sentence, part.value, part.low, part.high, gain.share, gain.overlaps)


def _factors(blocks: Blocks, *, parallelism: int, confidence: float) -> Iterator[CpuFactor]:
    """Yield what each factor of CPU time contributes; nothing where a trial has no counters."""
    counted = [
        (mean_work(base), mean_work(treated), sum(times_of((base, treated))[1].values()) * parallelism)
        for base, treated in blocks.values()
    ]
    known = [(base, treated, whole) for base, treated, whole in counted if base and treated]
    if len(known) < len(counted):
        return
    shares = cpu_shares(known, confidence=confidence)
    for name, share in zip(FACTORS, shares, strict=True):
        here, there = (fmean(getattr(pair[arm], FACTORS[name]) for pair in known) for arm in (0, 1))
        yield CpuFactor(name, here, there, share.value, share.low, share.high)


FACTORS: dict[FactorName, str] = {"instructions": "instructions", "cpi": "cpi", "frequency": "frequency_hz"}
"""Factors of CPU time by the field of ``Work`` that holds them."""
