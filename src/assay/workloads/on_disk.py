"""What a workload puts on its disk, as far as its parameters tell."""

from __future__ import annotations

from assay.model.work.workload import Workload
from assay.workloads.catalogue import measured_by
from assay.workloads.command import USAGE


def disk_bytes(workload: Workload) -> int | None:
    """Return the bytes that a workload's copies have on their disk at once; ``None`` where nobody can tell.

    Of the small files of other ready workloads, a few MiB, nothing is counted.
    """
    known = _prepared_and_written(workload)
    return None if known is None else sum(known)


def prepared_bytes(workload: Workload) -> int:
    """Return those of them that are made once for all copies; 0 where nobody can tell."""
    return (_prepared_and_written(workload) or (0, 0))[0]


def _prepared_and_written(workload: Workload) -> tuple[int, int] | None:
    """Return the bytes of what is prepared for all copies, and of what all of them write."""
    copies = workload.placement.copies
    if workload.parser == USAGE or workload.reader is not None:
        return None  # a user's own program, or a container
    found = measured_by(workload.parser)
    if found is not None and found.disk_bytes is not None:
        prepared, written = found.disk_bytes(workload)
        return prepared, copies * written
    size = workload.file_bytes or 0
    return size * bool(workload.prepare), copies * size  # a prepared file is kept beside the copies of it
