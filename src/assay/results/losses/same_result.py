"""Rows without a loss: where the work had not the same result on both arms, or what was counted was not the
job's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.design.barred import difference
from assay.model.doubt import Raised, raised
from assay.model.figures.estimate import Verdict
from assay.model.trial import Trial
from assay.pages.context import Row


def result_doubts(records: Sequence[Trial]) -> Iterator[Raised]:
    """Say of which workloads trials came to different results."""
    for workload in sorted({record.planned.workload for record in records}):
        if reason := difference(records, workload):
            yield raised("result-differs", reason=reason)


def without_loss(row: Row, reason: str) -> Row:
    """Return a row of what was measured and bears no loss."""
    return replace(
        row,
        loss=None,
        low=None,
        high=None,
        slowdown=None,
        mean=None,
        verdict=Verdict.NOT_MEASURED,
        blocks_more=None,
        hours_more=None,
        within_margin=False,
        matters=None,
        reason=reason,
    )


def same_results(records: Sequence[Trial]) -> dict[str, str]:
    """Return the workloads that came to one result on all arms, each with its digest."""
    reported: dict[str, set[str]] = {}
    for record in records:
        if record.result_digest is not None:
            reported.setdefault(record.planned.workload, set()).add(record.result_digest)
    return {workload: next(iter(one)) for workload, one in sorted(reported.items()) if len(one) == 1}
