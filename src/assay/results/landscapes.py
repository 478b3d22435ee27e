"""Landscapes of an activity: workloads of one family that differ in the sizes of their files and records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.workload import Workload
from assay.report.context import Row
from assay.report.landscapes import Landscape, LandscapeCell

Point = tuple[int, int]
"""Size of the file and of the record; 0 where no record is told."""


def landscapes(plan: ActivityPlan, rows: Sequence[Row]) -> tuple[Landscape, ...]:
    """Return one landscape a metric and treatment of each family that ran at two points or more.

    Args:
        plan: What was planned.
        rows: The losses of all treatments.
    """
    return tuple(found for members in _families(plan) for found in _of_family(members, rows))


def _families(plan: ActivityPlan) -> Iterator[list[Workload]]:
    grouped: dict[str, list[Workload]] = {}
    for workload in plan.workloads:
        if workload.family is not None and workload.file_bytes is not None:
            grouped.setdefault(workload.family, []).append(workload)
    yield from (members for members in grouped.values() if len({_point(one) for one in members}) > 1)


def _point(workload: Workload) -> Point:
    return workload.file_bytes or 0, workload.record_bytes or 0


def _of_family(members: Sequence[Workload], rows: Sequence[Row]) -> Iterator[Landscape]:
    by_name = {workload.name: workload for workload in sorted(members, key=_point)}
    grouped: dict[tuple[str, str, str | None], dict[str, Row]] = {}
    for row in rows:
        if row.workload in by_name:
            grouped.setdefault((row.metric, row.unit, row.treatment), {})[row.workload] = row
    for (metric, unit, treatment), known in grouped.items():
        cells = tuple(_cell(workload, known[name]) for name, workload in by_name.items() if name in known)
        yield Landscape(str(members[0].family), metric, unit, treatment, cells)


def _cell(workload: Workload, row: Row) -> LandscapeCell:
    return LandscapeCell(
        workload=workload.name,
        size_bytes=workload.file_bytes or 0,
        record_bytes=workload.record_bytes,
        baseline_value=row.baseline_value,
        treatment_value=row.treatment_value,
        loss=row.loss,
        low=row.low,
        high=row.high,
        verdict=row.verdict,
        blocks=row.blocks,
        not_comparable=None if workload.rule_met else workload.note,
        reason=row.reason if row.loss is None else None,
    )
