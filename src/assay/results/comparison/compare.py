"""Two results side by side: did the loss change?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from assay.design.file_sizes import apart
from assay.design.remembered import remembering
from assay.model.activity import ActivityPlan, PlannedArm
from assay.pages.comparison import ComparedResult, ComparisonPage, ComparisonRow, Name
from assay.pages.context import DoubtCount, Interval, Result
from assay.report.doubts import counted
from assay.results.comparison.between import setting_doubts, side_doubts
from assay.results.comparison.side import Line, Side, of_treatment, side_of, treated_by
from assay.results.doubts.damaged import with_damage, with_missing
from assay.results.doubts.file_sizes import doubts_of
from assay.results.doubts.ranked import ranked
from assay.stats.replication.difference import FEW, Difference, loss_difference
from assay.stats.verdicts.together import stepwise
from assay.store.objects import missing_objects
from assay.store.record import DamagedError, read_activity, read_rejected, read_trials

Key = tuple[str, str, str]
"""Workload, metric (and which treatment where there are several), unit."""
SAME = 1e-9
"""Losses that differ by no more than this, or this share of them, are one."""


def compare_results(
    a: Path,
    b: Path,
    kept: tuple[Side | None, Side | None] = (None, None),
    treatments: tuple[str | None, str | None] = (None, None),
) -> ComparisonPage:
    """Return how much more result B loses than result A, for each metric that both have, all judged together.

    Args:
        a: Folder of the first activity.
        b: Folder of the second activity.
        kept: What was kept of either; what was not is made from its records.
        treatments: Label of the one treatment of either that is compared; ``None`` is all, each with that of
            the same label. Two of one result have their baseline trials in common, which the difference's
            interval does not know of: these are not compared here.
    """
    with remembering():
        sides = kept[0] or _read(a), kept[1] or _read(b)
        plans = read_activity(a), read_activity(b)
        chosen = [of_treatment(*one) for one in zip(sides, treatments, strict=True)]
        arms = [treated_by(*one) for one in zip(plans, treatments, strict=True)]
        return _compared((chosen[0], chosen[1]), plans, (arms[0], arms[1]))


def _read(folder: Path) -> Side:
    """Return what is compared of a result, from its records and what was sampled."""
    from assay.results.outcome import build_page  # heavy, and what was kept needs it not
    from assay.results.series.sampled import read_sampled

    damaged: list[DamagedError] = []
    plan = read_activity(folder)
    records, rejected = (tuple(read(folder, damaged=damaged)) for read in (read_trials, read_rejected))
    page = build_page(plan, records, rejected=rejected, sampled=read_sampled(records, folder))
    page = with_missing(page, missing_objects(folder, records))
    return side_of(plan, records, with_damage(page, damaged))


def _compared(
    sides: tuple[Side, Side],
    plans: tuple[ActivityPlan, ActivityPlan],
    arms: tuple[PlannedArm, PlannedArm],
) -> ComparisonPage:
    a, b = sides
    lines_a, lines_b = _by_key(a.lines), _by_key(b.lines)
    reasons, confidence = _other_files(a, b), a.result.confidence
    shared = [(lines_a[key], lines_b[key]) for key in lines_a if key in lines_b]
    return ComparisonPage(
        a=_shown(a.result),
        b=_shown(b.result),
        confidence=confidence,
        rows=tuple(_rows(shared, reasons, confidence)),
        only_a=_names(key for key in lines_a if key not in lines_b),
        only_b=_names(key for key in lines_b if key not in lines_a),
        doubts=ranked(
            (*setting_doubts(plans, arms, (a.host, b.host)), *_of_files(reasons), *side_doubts(a, b)),
        ),
    )


def _other_files(a: Side, b: Side) -> Mapping[str, str]:
    """Return why workloads that both results have are not compared: they worked on files of other sizes."""
    there = {name: frozenset(sizes) for name, sizes in b.sizes.items()}
    reported = {
        name: apart(frozenset(sizes), there.get(name, frozenset()), "A", "B")
        for name, sizes in a.sizes.items()
    }
    return {name: reason for name, reason in reported.items() if reason is not None}


def _of_files(reasons: Mapping[str, str]) -> Iterator[DoubtCount]:
    yield from map(counted, doubts_of(reasons))


def _by_key(lines: Iterable[Line]) -> dict[Key, Line]:
    return {(line.workload, line.name, line.unit): line for line in lines}


def _names(keys: Iterable[Key]) -> tuple[Name, ...]:
    return tuple(Name(workload, metric) for workload, metric, _ in keys)


def _shown(r: Result) -> ComparedResult:
    return ComparedResult(r.id, r.scene, r.title, r.state, r.started, r.baseline, r.treatment, r.accelerator)


def _rows(
    shared: Sequence[tuple[Line, Line]], reasons: Mapping[str, str], confidence: float
) -> Iterator[ComparisonRow]:
    """Yield what is said of each metric that both have; ``reasons`` tells of workloads that are not
    compared.
    """
    judges = [partial(_difference, one, other, reasons) for one, other in shared]
    differences = stepwise(judges, confidence, counts=_known, called=lambda one: bool(one and one.seen))
    for (one, other), difference in zip(shared, differences, strict=True):
        yield ComparisonRow(
            workload=one.workload,
            metric=one.name,
            unit=one.unit,
            direction=one.direction,
            a=_interval(one),
            b=_interval(other),
            difference=difference.value if difference else None,
            low=difference.low if difference else None,
            high=difference.high if difference else None,
            reason=reasons.get(one.workload, difference.reason if difference else None),
        )


def _difference(
    a: Line, b: Line, reasons: Mapping[str, str], confidence: float, _: float
) -> Difference | None:
    """Return the difference of what two lines show, each by its own rule and with its site's floor.

    Where a result has looked too early to judge a line, the loss that it shows is not that of the interval at
    another confidence: the difference of what is shown has no interval then.
    """
    if a.workload in reasons or a.shown.loss is None or b.shown.loss is None:
        return None
    if a.judged is None or b.judged is None:  # not to be compared, whatever its blocks hold
        return None
    value = b.shown.loss - a.shown.loss
    difference = loss_difference(a.judged.estimate(confidence), b.judged.estimate(confidence))
    if difference is None or math.isclose(difference.value, value, rel_tol=SAME, abs_tol=SAME):
        return difference
    return Difference(value, None, None, difference.reason or FEW)


def _known(difference: Difference | None) -> bool:
    return difference is not None and difference.low is not None


def _interval(line: Line) -> Interval | None:
    return line.shown if line.shown.blocks else None
