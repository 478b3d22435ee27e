"""Landscapes of an activity: workloads of one family that differ in the sizes of their files and records
alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.work.workload import Workload
from assay.pages.context import Row
from assay.pages.families.landscapes import Landscape, LandscapeCell

Point = tuple[int, int]
"""Size of the file and of the record; 0 where no record is told."""


TIMED = ("--runtime=", "--time=")
"""What a command's words that say for how long begin with: the one parameter beside sizes and records."""


def landscapes(plan: ActivityPlan, rows: Sequence[Row]) -> tuple[Landscape, ...]:
    """Return one landscape a metric and treatment of each family that ran at two points or more.

    Workloads of a family whose files are in another state, that run in other numbers or otherwise are
    landscapes apart.

    Args:
        plan: What was planned.
        rows: The losses of all treatments.
    """
    return tuple(
        landscape for name, members in _families(plan) for landscape in _of_family(name, members, rows)
    )


def _families(plan: ActivityPlan) -> Iterator[tuple[str, list[Workload]]]:
    """Yield those that ran at several points, each by a name of its own."""
    grouped: dict[str, dict[Hashable, list[Workload]]] = {}
    for workload in plan.workloads:
        if workload.family is not None and workload.file_bytes is not None:
            alike = grouped.setdefault(workload.family, {})
            alike.setdefault(_besides_sizes(workload), []).append(workload)
    for family, alike in grouped.items():
        groups = [members for members in alike.values() if len({_point(one) for one in members}) > 1]
        yield from zip(_names(family, [members[0] for members in groups]), groups, strict=True)


def _besides_sizes(workload: Workload) -> Hashable:
    """Return all that sets workloads of a family apart but sizes, which alone put other figures into a
    command.
    """
    words = tuple(word for word in workload.command if not any(map(str.isdigit, word)))
    return words, _traits(workload), workload.cache, workload.placement, workload.events, workload.metrics


def _traits(workload: Workload) -> tuple[str, ...]:
    """Return in words what workloads of a family most often differ in besides sizes."""
    times = [word.partition("=")[2] for word in workload.command if word.startswith(TIMED)]
    copies = workload.placement.copies
    files = f"{workload.cache.state} files" if workload.cache else "files as they are"
    return files, "1 copy" if copies == 1 else f"{copies} copies", *(f"for {time} s" for time in times)


def _names(family: str, firsts: Sequence[Workload]) -> list[str]:
    """Return a name for each group of a family: what they differ in, or the workload that it begins with."""
    reported = [_traits(first) for first in firsts]
    same = set(reported[0]).intersection(*reported) if reported else set()
    names = [", ".join([family, *(word for word in words if word not in same)]) for words in reported]
    return [
        name if names.count(name) == 1 else f"{name}, {first.name} and on"
        for name, first in zip(names, firsts, strict=True)
    ]


def _point(workload: Workload) -> Point:
    return workload.file_bytes or 0, workload.record_bytes or 0


def _of_family(name: str, members: Sequence[Workload], rows: Sequence[Row]) -> Iterator[Landscape]:
    by_name = {workload.name: workload for workload in sorted(members, key=_point)}
    grouped: dict[tuple[str, str, str | None], dict[str, Row]] = {}
    for row in rows:
        if row.workload in by_name:
            grouped.setdefault((row.metric, row.unit, row.treatment), {})[row.workload] = row
    for (metric, unit, treatment), known in grouped.items():
        cells = tuple(_cell(workload, known[one]) for one, workload in by_name.items() if one in known)
        yield Landscape(name, metric, unit, treatment, cells)


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
