"""A difference of the hardware, taken out by a workload that shows nothing else.

Beside the loss and never instead of it: the corrected figure is that of a machine that does not exist, and
it is only as good as the claim that the reference meets the hardware as the workload does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.model.activity import ActivityPlan
from assay.report.context import Corrected, Row
from assay.stats import log_slowdown, paired_loss


def correct_rows(plan: ActivityPlan, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows with the loss corrected by the plan's reference workload, where it names one.

    In each block d_corrected = d_metric - d_reference, with the reference's first metric that rests on a
    clock; the rest is as for the loss itself, but without the site's floor, which is not known of a difference.

    Args:
        plan: The activity's plan.
        rows: Its estimates; those of the reference itself stay as they are.
    """
    reference = _reference(plan, rows)
    return tuple(rows if reference is None else _corrected(plan, rows, reference))


def _reference(plan: ActivityPlan, rows: Sequence[Row]) -> Row | None:
    workload = next((one for one in plan.workloads if one.name == plan.goal.reference), None)
    if workload is None:
        return None
    timed = [metric.name for metric in workload.metrics if metric.timed]
    return next((row for row in rows if row.workload == workload.name and row.metric in timed), None)


def _corrected(plan: ActivityPlan, rows: Sequence[Row], reference: Row) -> Iterator[Row]:
    taken = by_block(reference)
    for row in rows:
        if row.workload == reference.workload:
            yield row
            continue
        d = [value - taken[block] for block, value in by_block(row).items() if block in taken]
        found = paired_loss(d, confidence=plan.confidence)
        taken_out = Corrected(reference.workload, found.loss, found.low, found.high, found.blocks)
        yield replace(row, corrected=taken_out)


def by_block(row: Row) -> Mapping[int, float]:
    """Return the log slowdown of each complete block; none of a row that has no loss, since its results differ."""
    if row.loss is None:
        return {}
    return {
        values.block: log_slowdown(values.baseline, values.treatment, row.direction)
        for values in row.blocks_data
        if values.baseline and all(values.baseline) and values.treatment
    }
