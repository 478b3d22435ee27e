"""Two results side by side: did the loss change?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.design.blocks import Block, slowdowns
from assay.model.activity import ActivityPlan
from assay.model.machine import Facts
from assay.model.trial import Arm
from assay.report.comparison import ComparisonPage, ComparisonRow, Name, Side
from assay.report.context import DoubtCount, Interval, Page, Row
from assay.report.words import name_of
from assay.results.damaged import with_damage
from assay.results.outcome import build_page
from assay.stats import loss_difference
from assay.store.record import DamagedError, read_activity, read_rejected, read_trials

Key = tuple[str, str, str]
"""Workload, metric (and which treatment where there are several), unit."""


def compare_results(a: Path, b: Path) -> ComparisonPage:
    """Return how much more result B loses than result A, for each metric that both have.

    Args:
        a: Folder of the first activity.
        b: Folder of the second activity.
    """
    plan_a, plan_b = read_activity(a), read_activity(b)
    first, second = _page(plan_a, a), _page(plan_b, b)
    hosts = [_host(folder) for folder in (a, b)]
    rows_a, rows_b = _by_key(first.estimates), _by_key(second.estimates)
    return ComparisonPage(
        a=_side(first),
        b=_side(second),
        confidence=first.result.confidence,
        rows=tuple(
            _row(rows_a[key], rows_b[key], first.result.confidence) for key in rows_a if key in rows_b
        ),
        only_a=_names(key for key in rows_a if key not in rows_b),
        only_b=_names(key for key in rows_b if key not in rows_a),
        doubts=(*_setting(plan_a, plan_b, *hosts), *_doubts(first, second)),
    )


def _page(plan: ActivityPlan, folder: Path) -> Page:
    damaged: list[DamagedError] = []
    trials, rejected = (tuple(read(folder, damaged=damaged)) for read in (read_trials, read_rejected))
    return with_damage(build_page(plan, trials, rejected=rejected), damaged)


def _by_key(rows: Iterable[Row]) -> dict[Key, Row]:
    return {(row.workload, name_of(row), row.unit): row for row in rows}


def _names(keys: Iterable[Key]) -> tuple[Name, ...]:
    return tuple(Name(workload, metric) for workload, metric, _ in keys)


def _side(page: Page) -> Side:
    r = page.result
    return Side(r.id, r.scene, r.title, r.state, r.started, r.baseline, r.treatment, r.accelerator)


def _row(a: Row, b: Row, confidence: float) -> ComparisonRow:
    difference = loss_difference(_logs(a), _logs(b), confidence=confidence)
    return ComparisonRow(
        workload=a.workload,
        metric=name_of(a),
        unit=a.unit,
        direction=a.direction,
        a=_interval(a),
        b=_interval(b),
        difference=difference.value if difference else None,
        low=difference.low if difference else None,
        high=difference.high if difference else None,
    )


def _interval(row: Row) -> Interval | None:
    return Interval(row.loss, row.low, row.high, row.blocks) if row.blocks else None


def _logs(row: Row) -> list[float]:
    if row.loss is None:  # not to be compared, whatever its blocks hold
        return []
    return slowdowns((Block(b.block, b.baseline, b.treatment) for b in row.blocks_data), row.direction)


def _host(folder: Path) -> Facts | None:
    """Return the baseline's machine of a result; ``None`` where no trial of it ran."""
    whole = read_trials(folder, damaged=[])  # the page of the result names the damaged
    return next((r.facts for r in whole if r.planned.arm is Arm.BASELINE), None)


def _setting(
    a: ActivityPlan, b: ActivityPlan, here: Facts | None, there: Facts | None
) -> Iterator[DoubtCount]:
    """Say what else than time lies between the two results."""
    told = (
        ("scenes-differ", "scenes or commands", (a.scene_digest, a.command), (b.scene_digest, b.command)),
        ("limits-differ", "cores or memory of the baseline", a.baseline.limits, b.baseline.limits),
        ("treatments-differ", "treatments", _wish(a), _wish(b)),
        ("confidence-differs", "levels of confidence", a.confidence, b.confidence),
        ("hosts-differ", "baseline machines", here and _identity(here), there and _identity(there)),
    )
    for code, what, one, other in told:
        if one != other:
            yield DoubtCount(code, f"The {what} differ: the losses answer different questions.", 1)


def _wish(plan: ActivityPlan) -> object:
    side = plan.treatment
    return side.label, side.limits, side.guest, side.cache, side.container


def _identity(facts: Facts) -> object:
    return facts.hostname, facts.cpu_model, facts.kernel


def _doubts(a: Page, b: Page) -> Iterator[DoubtCount]:
    """Say what else than the platform differs between the two, and carry over what each doubts."""
    if a.result.id == b.result.id:
        yield DoubtCount("same-result", "A and B are the same result: they cannot differ.", 1)
    if a.result.accelerator != b.result.accelerator:
        sentence = f"The accelerators differ: {a.result.accelerator} and {b.result.accelerator}."
        yield DoubtCount("accelerators-differ", sentence, 1)
    for page, letter in ((a, "A"), (b, "B")):
        for doubt in page.doubts:
            yield DoubtCount(doubt.code, f"{letter}: {doubt.sentence}", doubt.count, doubt.next)
