"""A difference of the hardware, taken out by a workload that shows nothing else.

Beside the loss and never instead of it: the corrected figure is that of a machine that does not exist, and
it is only as good as the claim that the reference meets the hardware as the workload does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.design.ending import wanted_of
from assay.design.stopping import Metered
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Estimate
from assay.pages.context import Corrected, Row
from assay.stats import log_slowdown
from assay.stats.replication.components import Floor


def correct_rows(plan: ActivityPlan, rows: Sequence[Row], *, early: bool = False) -> tuple[Row, ...]:
    """Return the rows with the loss corrected by the plan's reference workload, where it names one.

    In each block d_corrected = d_metric - d_reference, with the reference's first metric that rests on a
    clock; the rest is as for the loss itself, but without the site's floor, which is not known of a
    difference.

    Args:
        plan: The activity's plan.
        rows: Its estimates; those of the reference itself stay as they are.
        early: Trials are left to run.
    """
    reference = _reference(plan, rows)
    return tuple(rows if reference is None else _corrected(plan, rows, reference, early=early))


def _reference(plan: ActivityPlan, rows: Sequence[Row]) -> Row | None:
    workload = next((one for one in plan.workloads if one.name == plan.goal.reference), None)
    if workload is None:
        return None
    timed = [metric.name for metric in workload.metrics if metric.timed]
    return next((row for row in rows if row.workload == workload.name and row.metric in timed), None)


def _corrected(plan: ActivityPlan, rows: Sequence[Row], reference: Row, *, early: bool) -> Iterator[Row]:
    taken = by_block(reference)
    for row in rows:
        if row.workload == reference.workload:
            yield row
            continue
        d = {block: value - taken[block] for block, value in by_block(row).items() if block in taken}
        estimate = loss_over(plan, row, d, early=early)
        taken_out = Corrected(reference.workload, estimate.loss, estimate.low, estimate.high, estimate.blocks)
        yield replace(row, corrected=taken_out)


def loss_over(
    plan: ActivityPlan, row: Row, slowdowns: Mapping[int, float], *, early: bool, floor: Floor | None = None
) -> Estimate:
    """Return the loss of a figure that is made of the blocks of rows, with an interval by the rule of the
    rows.

    Args:
        plan: The activity's plan.
        row: One of the rows, which tells the session of each block.
        slowdowns: Log slowdown of each block.
        early: Trials are left to run.
        floor: A/A floor; ``None`` where it is not known.
    """
    labels = [values.session for values in row.blocks_data if values.block in slowdowns]
    figure = Metered(
        list(slowdowns.values()),
        sessions=max(1, len(set(labels))),
        sigma=floor.sigma if floor else None,
        freedom=floor.freedom if floor else math.inf,
        labels=labels,
    )
    return figure.estimate(wanted_of(plan, early=early))


def by_block(row: Row) -> Mapping[int, float]:
    """Return the log slowdown of each complete block; none of a row that has no loss, since its results
    differ.
    """
    if row.loss is None:
        return {}
    return {
        values.block: log_slowdown(values.baseline, values.treatment, row.direction)
        for values in row.blocks_data
        if values.baseline and all(values.baseline) and values.treatment
    }
