"""The file system that a machine's jobs write on: made for a visit's arm, seen in force, left to the next if
on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.activities.visits.visit import Visit
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import own_scratch
from assay.model.platforms.platform import SeenFactor
from assay.platforms.data_servers.files import make_data_folder
from assay.platforms.filesystems.scratch_disk import lay_scratch, leave_scratch, room_for
from assay.workloads import disk_bytes, prepared_bytes


def scratch_levels(plan: ActivityPlan) -> tuple[str, ...]:
    """Return the file systems of their own that arms have for what their jobs write, each once."""
    levels = (own_scratch(arm.data) for arm in plan.arms)
    return tuple(dict.fromkeys(level for level in levels if level is not None))


def wants_scratch(plan: ActivityPlan) -> bool:
    """Tell whether an arm has a file system of its own for what its jobs write."""
    return bool(scratch_levels(plan))


def scratch_room(plan: ActivityPlan) -> int:
    """Return the bytes that a file system for jobs has room for: what is made for all workloads, and what
    the largest writes beside it, as far as that is known.
    """
    made = [prepared_bytes(workload) for workload in plan.workloads]
    written = ((disk_bytes(one) or 0) - own for one, own in zip(plan.workloads, made, strict=True))
    return room_for(sum(made) + max(written, default=0))


@contextmanager
def scratch_on(visit: Visit, arm: PlannedArm, folder: Path, room: int) -> Iterator[None]:
    """Let the trials of a visit run in folders on the file system that their arm asks for.

    Args:
        visit: Where they run: this machine itself (``data_plan``).
        arm: Their arm.
        folder: The activity's folder of data.
        room: Bytes of files that one made anew has room for (``scratch_room``).

    Raises:
        MissingError: A program is not installed, or there is no room.
        PlatformError: The kernel shows another file system.
    """
    if (level := own_scratch(arm.data)) is None:
        yield
        return
    make_data_folder(folder)
    usual = visit.directory
    laid = lay_scratch(folder, level, Path(f"{usual}-on-{level}"), room)
    visit.directory = str(laid.root)
    visit.scratch = (SeenFactor("scratch.filesystem", level, laid.how),)
    try:
        yield
    finally:
        visit.directory, visit.scratch = usual, ()
        leave_scratch(folder, level)
