"""What became of the change-sets in blocks that the search has not seen, there and on other machines."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, geometric_mean

from assay.activities.tuning.values import objective_of
from assay.factors.start.starts import WORDS as START_WORDS
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Verdict
from assay.model.metric import Direction
from assay.pages.context import Page, Row
from assay.pages.tuning import ChangeSet, Check, MixRow, Saved, Tuning, TuningRun
from assay.stats.centre import scatters
from assay.stats.mean import student
from assay.stats.replication.paired import OPEN
from assay.workloads.command import CPU, WALL

CURRENT, DEFAULT = "current", "default"
DECIDED = (Verdict.LOSS, Verdict.GAIN, Verdict.EQUIVALENT)
FEWEST = 3
"""With fewer complete blocks nothing is confirmed."""
Logs = Mapping[int, float]
"""Mean logarithm of the time for the same work over the workloads that were tuned for, by block."""


def confirmed(tuning: Tuning, run: TuningRun, plan: ActivityPlan, page: Page) -> tuple[ChangeSet, ...]:
    """Return the change-sets of a tuning with what their confirmation says.

    What was refused before the confirmation was extended stays so: further blocks that were made for another
    change-set, or another metric, do not give it a second chance.

    Args:
        tuning: The tuning, with what the search found.
        run: The confirmation.
        plan: Its activity's plan.
        page: Its page: what a treatment loses over the guest as it is.
    """
    seen = _seen(tuning, run, plan, page)
    return tuple(
        one if one.name not in seen or _is_refused(one) else _judged(one, seen[one.name])
        for one in tuning.found
    )


def checked(
    tuning: Tuning, run: TuningRun, plan: ActivityPlan, page: Page, *, now: str
) -> tuple[ChangeSet, ...]:
    """Return the change-sets of a tuning with what a check of them says.

    One that costs something on a second machine is recommended no more; what a later time says of the same
    machine stands beside what was confirmed then.

    Args:
        tuning: The tuning, with what was confirmed.
        run: The check.
        plan: Its activity's plan.
        page: Its page.
        now: The time, ISO 8601 in UTC.
    """
    seen = _seen(tuning, run, plan, page)
    return tuple(
        with_check(one, _check(run, now, seen[one.name])) if one.name in seen else one for one in tuning.found
    )


def with_check(one: ChangeSet, check: Check) -> ChangeSet:
    """Return a change-set with one more check."""
    one = replace(one, checks=(*one.checks, check))
    if check.holds or not check.machine:
        return one
    return replace(one, recommended=False, undecided=False, reason=f"on {check.machine} {check.reason}")


@dataclass(frozen=True)
class _Seen:
    """What was seen of a change-set in one activity.

    Attributes:
        saved: What it saves.
        mix: What it does to each metric.
        traded: Workload and metric of what does not count: where starts change, times of single copies.
    """

    saved: tuple[Saved, ...]
    mix: tuple[MixRow, ...]
    traded: Collection[tuple[str, str]]

    @property
    def counting(self) -> list[MixRow]:
        """Return what counts of the mix."""
        return [row for row in self.mix if (row.workload, row.metric) not in self.traded]


def _seen(tuning: Tuning, run: TuningRun, plan: ActivityPlan, page: Page) -> dict[str, _Seen]:
    labels = {name: arm.label for name, arm in zip(run.names, plan.treatments, strict=True)}
    alone = len(labels) == 1
    rows = {
        name: [row for row in page.estimates if alone or row.treatment == label]
        for name, label in labels.items()
    }
    logs = {name: _logs(tuning, plan, found, baseline=False) for name, found in rows.items()}
    logs[CURRENT] = _logs(tuning, plan, next(iter(rows.values())), baseline=True)
    starts = {one.name for one in tuning.found if START_WORDS.keys() & one.changes.keys()}
    seen = {}
    for name, found in rows.items():
        traded = _of_single_copies(found) if name in starts else set()
        mix = tuple(_mix(tuning, found, traded, page.result.margin))
        seen[name] = _Seen(tuple(_saved(name, logs, page.result.confidence)), mix, traded)
    return seen


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
        if len(won) > 1 and scatters(won):
            centre = student(won, confidence)
            gain, low, high = (-math.expm1(-end) for end in (centre.value, centre.low, centre.high))
            yield Saved(over, gain, low, high, len(won))
        elif won:
            yield Saved(over, -math.expm1(-fmean(won)), None, None, len(won))


def _mix(
    tuning: Tuning, rows: Sequence[Row], traded: Collection[tuple[str, str]], margin: float
) -> Iterator[MixRow]:
    for row in rows:
        if row.baseline_value is not None:
            undecided = (row.workload, row.metric) not in traded and _is_undecided(row, margin)
            yield MixRow(
                row.workload,
                row.metric,
                row.workload in tuning.workloads,
                row.loss,
                row.low,
                row.high,
                worse=row.verdict is Verdict.LOSS,
                undecided=undecided,
                blocks_more=row.blocks_more if undecided else None,
            )


def _is_undecided(row: Row, margin: float) -> bool:
    """Tell whether a metric may lose more than the margin, and is not significantly worse."""
    if row.loss is None or row.verdict in DECIDED:
        return False
    unknown = row.high is None or (row.blocks > 1 and row.low == row.high)  # no scatter
    return unknown or (row.high or 0.0) > margin or row.method.endswith(OPEN)


def _is_refused(one: ChangeSet) -> bool:
    return bool(one.reason) and not one.undecided


def _judged(one: ChangeSet, seen: _Seen) -> ChangeSet:
    against = _unconfirmed(seen.saved) or _cost(seen.counting)
    undecided = "" if against else _undecided(seen.counting)
    reason = against or undecided
    return replace(
        one,
        saved=seen.saved,
        mix=seen.mix,
        recommended=not reason,
        undecided=bool(undecided),
        reason=reason,
    )


def _check(run: TuningRun, now: str, seen: _Seen) -> Check:
    cost = _cost(seen.counting) if seen.mix else "it was not measured"
    return Check(
        run.machine,
        now,
        run.activity,
        seen.saved,
        seen.mix,
        holds=not cost,
        reason=cost or _unconfirmed(seen.saved),
        undecided=_undecided(seen.counting),
    )


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


def _unconfirmed(saved: Sequence[Saved]) -> str:
    """Return why the gain of a change-set over the guest as it is is not confirmed; empty where it is."""
    over = next((one for one in saved if one.over == CURRENT), None)
    if over is not None and over.low is None and over.blocks >= FEWEST:
        return "it was not confirmed: its blocks agree to the last digit, and tell nothing of their noise"
    if over is None or over.low is None or over.blocks < FEWEST:
        count = 0 if over is None else over.blocks
        return f"it was not confirmed: {count} complete blocks, {FEWEST} are needed"
    if over.low > 0:
        return ""
    where = "holds 0" if over.high is None or over.high >= 0 else "lies below 0"
    return f"its gain was not confirmed: the interval {where}"


def _cost(mix: Sequence[MixRow]) -> str:
    """Return what a change-set costs, or what was not measured of it; empty for nothing."""
    worse = [f"{row.workload} {row.metric} loses {_percent(row)}" for row in mix if row.worse]
    missing = [f"{row.workload} {row.metric} was not measured" for row in mix if row.loss is None]
    return f"it costs others of the mix: {'; '.join(worse)}" if worse else "; ".join(missing)


def _undecided(mix: Sequence[MixRow]) -> str:
    """Return what of a mix is not shown to be harmless, by the interval that reaches furthest; empty for
    nothing.
    """
    rows = [row for row in mix if row.undecided]
    if not rows:
        return ""
    worst = max(rows, key=lambda row: math.inf if row.high is None else row.high)
    name, others = f"{worst.workload} {worst.metric}", len(rows) - 1
    beside = (
        f" (and {others} more {'metrics are' if others > 1 else 'metric is'} undecided)" if others else ""
    )
    if worst.high is None or worst.high <= 0:
        return f"not shown to be harmless: {name} has too few complete blocks{beside}"
    more = [row.blocks_more for row in rows if row.blocks_more is not None]
    count = f"{max(more)} more block{'s' if max(more) > 1 else ''}" if len(more) == len(rows) else ""
    needed = f"about {count} would decide it" if count else "more blocks would not decide it"
    lost = f"{name} may lose up to {100 * worst.high:.3g} %"
    return f"not shown to be harmless: {lost}{beside}; {needed} at this noise"


def _percent(row: MixRow) -> str:
    numbers = (row.loss, row.low, row.high)
    value, low, high = (0.0 if number is None else 100 * number for number in numbers)
    return f"{value:.1f} % [{low:.1f}, {high:.1f}]"
