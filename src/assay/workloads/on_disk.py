"""What a workload puts on its disk, as far as its parameters tell."""

from __future__ import annotations

from assay.model.work.workload import Workload
from assay.workloads.command import USAGE
from assay.workloads.tools.chain import definition as chain
from assay.workloads.tools.kernels import definition as kernels


def disk_bytes(workload: Workload) -> int | None:
    """Return the bytes that a workload's copies have on their disk at once; ``None`` where nobody can tell.

    Of the small files of other ready workloads, a few MiB, nothing is counted.
    """
    copies = workload.placement.copies
    if workload.parser == USAGE or workload.reader is not None:
        return None  # a user's own program, or a container
    if workload.parser in chain.NAMES:
        prepared, written = chain.disk_bytes(workload)
        return prepared + copies * written
    file = kernels.FILE_BYTES if workload.parser == "files" else workload.file_bytes or 0
    return file * (copies + bool(workload.prepare))  # a prepared file is kept beside the copies of it
