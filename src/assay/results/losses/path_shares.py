"""Rates of data that come over the network, as shares of what the bare network reaches in the same block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from assay.explain.budget import share_of
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import SERVED, access
from assay.model.work.workload import Workload
from assay.pages.context import BlockValues, Row
from assay.pages.path_share import PathShare
from assay.workloads import WORKLOADS, Stream, measured_by
from assay.workloads.command import USAGE

MBIT = "Mbit/s"


def path_shares(plan: ActivityPlan, rows: Sequence[Row]) -> tuple[PathShare, ...]:
    """Return the share for each rate of data and each arm that has them from a server, the baseline first.

    A loss compares two arms; a share says how much of the network a way to the data uses, on one arm.

    Args:
        plan: The activity's plan.
        rows: Its estimates, with the values of each block.
    """
    known = {
        workload.name: measured_by(workload.parser) for workload in plan.workloads if workload.needs_data
    }
    names = {(name, ready.data_rate) for name, ready in known.items() if ready is not None}
    rates = [row for row in rows if (row.workload, row.metric) in names]
    measured = {row.workload for row in rows if row.unit == MBIT and _is_measured(row)}
    path = _path([one for one in plan.workloads if one.name in measured]) if rates else None
    if path is None:
        return ()
    bare = {row.treatment: row for row in rows if row.workload == path and row.unit == MBIT}
    return tuple(
        share
        for row in rates
        for arm, baseline in _arms(plan, row, rates)
        if access(arm.data) in SERVED and row.treatment in bare
        for share in _share(plan, row, bare[row.treatment], arm, baseline=baseline)
    )


def _is_measured(row: Row) -> bool:
    return any(one.baseline or one.treatment is not None for one in row.blocks_data)


def _path(workloads: Sequence[Workload]) -> str | None:
    """Return the workload that measures the bare network, one that receives before others, as data are
    received.
    """
    asked = (one for one in workloads if one.needs_network and one.parser != USAGE)
    ready = (WORKLOADS[one.name] for one in asked if one.name in WORKLOADS)
    streams = [one for one in ready if one.stream is not None]
    return next((one.name for one in sorted(streams, key=lambda one: one.stream is Stream.SENT)), None)


def _arms(plan: ActivityPlan, row: Row, rates: Sequence[Row]) -> Iterator[tuple[PlannedArm, bool]]:
    """Yield the arms that a row tells of; the baseline with the first row of its metric alone."""
    first = next(one for one in rates if (one.workload, one.metric) == (row.workload, row.metric))
    if row is first:
        yield plan.baseline, True
    labels = {arm.label: arm for arm in plan.treatments}
    yield plan.treatment if row.treatment is None else labels[row.treatment], False


def _share(
    plan: ActivityPlan, row: Row, bare: Row, arm: PlannedArm, *, baseline: bool
) -> Iterator[PathShare]:
    rates, paths = (_by_block(one.blocks_data, baseline=baseline) for one in (row, bare))
    both = [(rates[block], paths[block] / 8) for block in rates if paths.get(block)]
    if not both:
        return
    share = share_of([rate / path for rate, path in both], plan.confidence)
    rate, path = (fmean(values) for values in zip(*both, strict=True))
    yield PathShare(
        row.workload,
        row.metric,
        arm.label,
        access(arm.data),
        bare.workload,
        rate,
        path,
        share.value,
        share.low,
        share.high,
        len(both),
    )


def _by_block(values: Sequence[BlockValues], *, baseline: bool) -> Mapping[int, float]:
    """Return the value of each block; of several visits of the baseline the mean."""
    if baseline:
        return {one.block: fmean(one.baseline) for one in values if one.baseline}
    return {one.block: one.treatment for one in values if one.treatment is not None}
