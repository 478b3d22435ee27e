"""Rates of files of other sizes are not compared: what fits a cache is another measurement than what does
not.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.model.trial import Arm, State, Trial
from assay.model.units import format_bytes
from assay.model.work.workload import Workload

Sizes = frozenset[int]


def sizes_of(records: Iterable[Trial], workload: Workload) -> Sizes:
    """Return the sizes that trials of a workload tell of, or else the one that it was given, bytes."""
    ours = [r for r in records if r.planned.workload == workload.name and r.state is State.ENDED]
    reported = (one.file_bytes or workload.file_bytes for one in ours)
    return frozenset(size for size in reported if size is not None)


def sizes_differ(records: Iterable[Trial], workload: Workload) -> str | None:
    """Return that a workload worked on files of other sizes on its arms; ``None`` where it did not, or
    nothing tells.
    """
    ours = list(records)
    here, there = (sizes_of([one for one in ours if one.planned.arm is arm], workload) for arm in Arm)
    return apart(here, there, "the baseline", "the treatment")


def apart(here: Sizes, there: Sizes, one: str, other: str) -> str | None:
    """Return the reason why files of these sizes are not compared; ``None`` where they are the same, or not
    told.
    """
    if not here or not there or here == there:
        return None
    return (
        f"its files were {_spelled(here)} on {one} and {_spelled(there)} on {other}: what a "
        "cache holds of a file depends on its size, so they are not compared"
    )


def _spelled(sizes: Sizes) -> str:
    return " and ".join(format_bytes(size) for size in sorted(sizes))
