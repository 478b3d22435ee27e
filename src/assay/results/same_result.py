"""Rows without a loss: where the work had not the same result on both arms, or what was counted was not the job's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.doubt import Doubt
from assay.model.estimate import Verdict
from assay.model.trial import Trial
from assay.report.context import Row


def result_doubts(records: Sequence[Trial]) -> Iterator[Doubt]:
    """Say of which workloads trials came to different results."""
    for workload in sorted({record.planned.workload for record in records}):
        if sentence := difference(records, workload):
            yield Doubt("result-differs", sentence)


def barred(row: Row, records: Sequence[Trial]) -> Row:
    """Return a row without its loss where trials of its workload came to different results."""
    sentence = difference(records, row.workload)
    return row if sentence is None else _without_loss(row, sentence)


def barred_of_server(row: Row, records: Sequence[Trial]) -> Row:
    """Return a row of what came from the job's storage without its loss where a server read for the job."""
    ours = [record for record in records if record.planned.workload == row.workload]
    if not any(record.from_server for record in ours):
        return row
    return _without_loss(
        row, "a server or its client read for the job: what it fetched from storage is not the job's"
    )


def _without_loss(row: Row, reason: str) -> Row:
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
        reason=reason,
    )


def result_sentences(records: Sequence[Trial]) -> Iterator[str]:
    """Say which workloads came to one result on all arms, and to which."""
    told: dict[str, set[str]] = {}
    for record in records:
        if record.result_digest is not None:
            told.setdefault(record.planned.workload, set()).add(record.result_digest)
    same = [f"{workload} ({next(iter(one))})" for workload, one in sorted(told.items()) if len(one) == 1]
    if same:
        yield f"The same result in every trial, on all arms, by its digest: {', '.join(same)}."


def difference(records: Sequence[Trial], workload: str) -> str | None:
    """Return which two trials of a workload came to different results; ``None`` where all came to the same."""
    told = [r for r in records if r.planned.workload == workload and r.result_digest is not None]
    told.sort(key=lambda record: record.planned.index)
    other = next((record for record in told if record.result_digest != told[0].result_digest), None)
    if other is None:
        return None
    return (
        f"The trials of {workload} did not come to the same result, so they are not compared: "
        f"{_said(told[0])}, {_said(other)}."
    )


def _said(record: Trial) -> str:
    return f"{record.planned.name} on {record.machine} told {record.result_digest}"
