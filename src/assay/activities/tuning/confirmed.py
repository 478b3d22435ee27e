"""What became of the change-sets in blocks that the search has not seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, geometric_mean

from assay.activities.tuning.values import objective_of
from assay.factors.start.starts import WORDS as START_WORDS
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Verdict
from assay.model.metric import Direction
from assay.pages.context import Page, Row
from assay.pages.tuning import ChangeSet, MixRow, Saved, Tuning, TuningRun
from assay.stats.mean import student
from assay.workloads.command import CPU, WALL

CURRENT, DEFAULT = "current", "default"
FEWEST = 3
"""With fewer complete blocks nothing is confirmed."""
Logs = Mapping[int, float]
"""Mean logarithm of the time for the same work over the workloads that were tuned for, by block."""


def confirmed(tuning: Tuning, run: TuningRun, plan: ActivityPlan, page: Page) -> tuple[ChangeSet, ...]:
    """Return the change-sets of a tuning with what their confirmation says.

    Args:
        tuning: The tuning, with what the search found.
        run: The confirmation.
        plan: Its activity's plan.
        page: Its page: what a treatment loses over the guest as it is.
    """
    labels = {name: arm.label for name, arm in zip(run.names, plan.treatments, strict=True)}
    alone = len(labels) == 1
    rows = {
        name: [row for row in page.estimates if alone or row.treatment == label]
        for name, label in labels.items()
    }
    logs = {name: _logs(tuning, plan, found, baseline=False) for name, found in rows.items()}
    logs[CURRENT] = _logs(tuning, plan, next(iter(rows.values())), baseline=True)
    return tuple(
        _judged(tuning, one, rows[one.name], list(_saved(one.name, logs, page.result.confidence)))
        if one.name in rows
        else one
        for one in tuning.found
    )


def _logs(tuning: Tuning, plan: ActivityPlan, rows: Sequence[Row], *, baseline: bool) -> Logs:
    """Return the objective of each block in which all of it was measured, of an arm."""
    wanted = {
        (one.name, metric)
        for one in plan.workloads
        if one.name in tuning.workloads
        for metric in objective_of(one, plan.baseline.layout.guests)
    }
    found: dict[int, dict[tuple[str, str], float]] = {}
    for row in rows:
        if (row.workload, row.metric) not in wanted:
            continue
        sign = -1 if row.direction is Direction.HIGHER else 1
        for block in row.blocks_data:
            value = geometric_mean(block.baseline) if baseline and block.baseline else block.treatment
            if value and block.baseline and block.treatment:
                found.setdefault(block.block, {})[row.workload, row.metric] = sign * math.log(value)
    return {block: _mean(logs) for block, logs in found.items() if set(logs) == wanted}


def _mean(logs: Mapping[tuple[str, str], float]) -> float:
    """Return the mean over workloads of the mean over metrics of each."""
    by_workload: dict[str, list[float]] = {}
    for (workload, _), log in logs.items():
        by_workload.setdefault(workload, []).append(log)
    return fmean(map(fmean, by_workload.values()))


def _saved(name: str, logs: Mapping[str, Logs], confidence: float) -> Iterator[Saved]:
    """Yield what a change-set saves over the guest as it is, over the default, over the safe one."""
    for over in (CURRENT, DEFAULT, "safe"):
        if over == name or over not in logs:
            continue
        won = [logs[over][block] - log for block, log in logs[name].items() if block in logs[over]]
        if len(won) > 1:
            centre = student(won, confidence)
            gain, low, high = (-math.expm1(-end) for end in (centre.value, centre.low, centre.high))
            yield Saved(over, gain, low, high, len(won))
        elif won:
            yield Saved(over, -math.expm1(-won[0]), None, None, 1)


def _judged(tuning: Tuning, one: ChangeSet, rows: Sequence[Row], saved: list[Saved]) -> ChangeSet:
    mix = tuple(
        MixRow(
            row.workload,
            row.metric,
            row.workload in tuning.workloads,
            row.loss,
            row.low,
            row.high,
            worse=row.verdict is Verdict.LOSS,
        )
        for row in rows
        if row.baseline_value is not None
    )
    traded = _of_single_copies(rows) if START_WORDS.keys() & one.changes.keys() else set()
    reason = _refusal(saved, [row for row in mix if (row.workload, row.metric) not in traded])
    return replace(one, saved=tuple(saved), mix=mix, recommended=not reason, reason=reason)


def _of_single_copies(rows: Sequence[Row]) -> set[tuple[str, str]]:
    """Return workload and metric of the times that are means of the copies' own: starts apart trade them for
    the time of all. Where starts change they are shown, and do not speak against it.
    """
    return {
        (row.workload, row.metric)
        for row in rows
        if row.unit == WALL.unit
        and row.direction is Direction.LOWER
        and row.metric not in {WALL.name, CPU.name}
    }


def _refusal(saved: Sequence[Saved], mix: Sequence[MixRow]) -> str:
    """Return why a change-set is not recommended; empty where it is."""
    over = next((one for one in saved if one.over == CURRENT), None)
    if over is None or over.low is None or over.blocks < FEWEST:
        count = 0 if over is None else over.blocks
        return f"it was not confirmed: {count} complete blocks, {FEWEST} are needed"
    if over.low <= 0:
        return "its gain was not confirmed: the interval holds 0"
    worse = [f"{row.workload} {row.metric} loses {_percent(row)}" for row in mix if row.worse]
    missing = [f"{row.workload} {row.metric} was not measured" for row in mix if row.loss is None]
    return f"it costs others of the mix: {'; '.join(worse)}" if worse else "; ".join(missing)


def _percent(row: MixRow) -> str:
    numbers = (row.loss, row.low, row.high)
    value, low, high = (0.0 if number is None else 100 * number for number in numbers)
    return f"{value:.1f} % [{low:.1f}, {high:.1f}]"
