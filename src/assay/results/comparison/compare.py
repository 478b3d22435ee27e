"""Two results side by side: did the loss change?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from assay.design.file_sizes import apart
from assay.design.remembered import remembering
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.comparison import ComparedResult, ComparisonPage, ComparisonRow, Name
from assay.pages.context import DoubtCount, Interval, Page, Row
from assay.report.doubts import counted
from assay.report.tables.words import name_of
from assay.results.comparison.between import baseline_facts, page_doubts, setting_doubts
from assay.results.doubts.damaged import with_damage
from assay.results.doubts.file_sizes import doubts_of, sizes_by_workload
from assay.results.doubts.ranked import ranked
from assay.results.losses.as_judged import AsJudged, as_judged
from assay.results.outcome import build_page
from assay.stats.replication.difference import FEW, Difference, loss_difference
from assay.stats.verdicts.together import stepwise
from assay.store.record import DamagedError, read_activity, read_rejected, read_trials

Key = tuple[str, str, str]
"""Workload, metric (and which treatment where there are several), unit."""
SAME = 1e-9
"""Losses that differ by no more than this, or this share of them, are one."""
Blocks = Mapping[tuple[str, str, str | None], AsJudged]
"""What a result has measured, by workload, metric and treatment where there are several."""


def compare_results(a: Path, b: Path) -> ComparisonPage:
    """Return how much more result B loses than result A, for each metric that both have, all judged together.

    Args:
        a: Folder of the first activity.
        b: Folder of the second activity.
    """
    with remembering():
        return _compared(_read(a), _read(b))


@dataclass(frozen=True)
class _Result:
    """A result as it is read: its plan, the records of its trials, of those that were rejected, and what is
    damaged.
    """

    plan: ActivityPlan
    records: tuple[Trial, ...]
    rejected: tuple[Trial, ...]
    damaged: Sequence[DamagedError]

    def page(self) -> Page:
        """Return its page, without what needs series."""
        return with_damage(build_page(self.plan, self.records, rejected=self.rejected), self.damaged)


def _read(folder: Path) -> _Result:
    damaged: list[DamagedError] = []
    plan = read_activity(folder)
    trials, rejected = (tuple(read(folder, damaged=damaged)) for read in (read_trials, read_rejected))
    return _Result(plan, trials, rejected, damaged)


def _compared(a: _Result, b: _Result) -> ComparisonPage:
    first, second = a.page(), b.page()
    hosts = [baseline_facts(one.records) for one in (a, b)]
    rows_a, rows_b = _by_key(first.estimates), _by_key(second.estimates)
    reasons = _other_files(a, b)
    blocks_a, blocks_b = (_without(reasons, as_judged(one.plan, one.records)) for one in (a, b))
    return ComparisonPage(
        a=_side(first),
        b=_side(second),
        confidence=first.result.confidence,
        rows=tuple(
            replace(row, reason=reasons.get(row.workload, row.reason))
            for row in _rows(rows_a, rows_b, blocks_a, blocks_b, first.result.confidence)
        ),
        only_a=_names(key for key in rows_a if key not in rows_b),
        only_b=_names(key for key in rows_b if key not in rows_a),
        doubts=ranked(
            (*setting_doubts(a.plan, b.plan, *hosts), *_of_files(reasons), *page_doubts(first, second))
        ),
    )


def _other_files(a: _Result, b: _Result) -> Mapping[str, str]:
    """Return why workloads that both results have are not compared: they worked on files of other sizes."""
    here, there = (sizes_by_workload(one.plan, one.records) for one in (a, b))
    reported = {name: apart(sizes, there.get(name, frozenset()), "A", "B") for name, sizes in here.items()}
    return {name: reason for name, reason in reported.items() if reason is not None}


def _without(reasons: Mapping[str, str], blocks: Blocks) -> Blocks:
    """Return blocks without those of workloads that are not compared."""
    return {key: judged for key, judged in blocks.items() if key[0] not in reasons}


def _of_files(reasons: Mapping[str, str]) -> Iterator[DoubtCount]:
    yield from map(counted, doubts_of(reasons))


def _by_key(rows: Iterable[Row]) -> dict[Key, Row]:
    return {(row.workload, name_of(row), row.unit): row for row in rows}


def _names(keys: Iterable[Key]) -> tuple[Name, ...]:
    return tuple(Name(workload, metric) for workload, metric, _ in keys)


def _side(page: Page) -> ComparedResult:
    r = page.result
    return ComparedResult(r.id, r.scene, r.title, r.state, r.started, r.baseline, r.treatment, r.accelerator)


def _rows(
    rows_a: Mapping[Key, Row], rows_b: Mapping[Key, Row], a: Blocks, b: Blocks, confidence: float
) -> Iterator[ComparisonRow]:
    shared = [(rows_a[key], rows_b[key]) for key in rows_a if key in rows_b]
    judges = [partial(_difference, (one, a), (other, b)) for one, other in shared]
    differences = stepwise(judges, confidence, counts=_known, called=lambda one: bool(one and one.seen))
    for (one, other), difference in zip(shared, differences, strict=True):
        yield ComparisonRow(
            workload=one.workload,
            metric=name_of(one),
            unit=one.unit,
            direction=one.direction,
            a=_interval(one),
            b=_interval(other),
            difference=difference.value if difference else None,
            low=difference.low if difference else None,
            high=difference.high if difference else None,
            reason=difference.reason if difference else None,
        )


def _difference(
    a: tuple[Row, Blocks], b: tuple[Row, Blocks], confidence: float, _: float
) -> Difference | None:
    """Return the difference of what two rows show, each by its own rule and with its site's floor.

    Where a result has looked too early to judge a row, the loss that it shows is not that of the interval at
    another
    confidence: the difference of what is shown has no interval then.
    """
    shown, losses = [], []
    for row, blocks in (a, b):
        known = blocks.get((row.workload, row.metric, row.treatment))
        if row.loss is None or known is None:  # not to be compared, whatever its blocks hold
            return None
        shown.append(row.loss)
        losses.append(known.estimate(confidence))
    difference, value = loss_difference(*losses), shown[1] - shown[0]
    if difference is None or math.isclose(difference.value, value, rel_tol=SAME, abs_tol=SAME):
        return difference
    return Difference(value, None, None, difference.reason or FEW)


def _known(difference: Difference | None) -> bool:
    return difference is not None and difference.low is not None


def _interval(row: Row) -> Interval | None:
    return Interval(row.loss, row.low, row.high, row.blocks) if row.blocks else None
