"""Rates of data that come over the network, as shares of what the bare network reaches in the same block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from assay.explain.budget import share_of
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import SERVED, access
from assay.pages.context import BlockValues, Row
from assay.pages.path_share import PathShare
from assay.workloads.tools.data_read import definition as data_read
from assay.workloads.tools.root_analysis import definition as root_analysis

PATHS = ("iperf3-reverse", "iperf3", "netperf-tcp-stream")
"""What measures the bare network, the first that a scene has: data are received."""
RATES = {data_read.RATE.name, root_analysis.ASKED.name}
"""MB/s of the data."""
MBIT = "Mbit/s"


def path_shares(plan: ActivityPlan, rows: Sequence[Row]) -> tuple[PathShare, ...]:
    """Return the share for each rate of data and each arm that has them from a server, the baseline first.

    A loss compares two arms; a share says how much of the network a way to the data uses, on one arm.

    Args:
        plan: The activity's plan.
        rows: Its estimates, with the values of each block.
    """
    path = next((row.workload for name in PATHS for row in rows if row.workload == name), None)
    data = {workload.name for workload in plan.workloads if workload.needs_data}
    rates = [row for row in rows if row.workload in data and row.metric in RATES]
    if path is None or not rates:
        return ()
    bare = {row.treatment: row for row in rows if row.workload == path and row.unit == MBIT}
    return tuple(
        share
        for row in rates
        for arm, baseline in _arms(plan, row, rates)
        if access(arm.data) in SERVED and row.treatment in bare
        for share in _share(plan, row, bare[row.treatment], arm, baseline=baseline)
    )


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
