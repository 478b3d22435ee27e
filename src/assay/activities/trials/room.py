"""Room on the disks of an activity while its trials run: a full one ends it in time, and nothing measured is
lost.

This machine's disk is looked at before each trial and at each tick of waiting for one; a machine's own before
each trial by a question, during it by the probe, which ends a job that leaves too little. Three bounds lie
one below the other, so that a job that fills the disk itself has failed and is not tried for ever: the
probe's (``KEEP_FREE_BYTES``), ours while we wait (``LEAST_BYTES``), that of copies
(``machines.room.LEFT_BYTES``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.activities.visits.visit import Visit
from assay.machines.room import FULL, disk_of, free_bytes, full_disk, no_room
from assay.model.errors import NoRoomError
from assay.model.trial import CauseKind
from assay.model.units import BYTES, format_bytes
from assay.probe import KEEP_FREE_BYTES, LostJobError, RunResult

START_BYTES = 256 * BYTES["MiB"]
"""Free on the disk of the records before a trial: its own record, and what guests' disks grow by
meanwhile.
"""
LEAST_BYTES = KEEP_FREE_BYTES // 2
"""Free there while a trial is waited for: less, and it could not be brought home."""
MACHINE_BYTES = 2 * KEEP_FREE_BYTES
"""Free on the disk of a machine before a trial: what its probe keeps free, and as much for the job."""
_WHAT = "go on"


def require_room(folder: Path, needed: int) -> None:
    """Refuse to go on where the disk of the records has too little room.

    Args:
        folder: The activity's.
        needed: Bytes.

    Raises:
        NoRoomError: It has less.
    """
    if (free := free_bytes(folder)) < needed:
        raise no_room(_WHAT, disk_of(folder), free=free, needed=needed)


def require_room_there(visit: Visit, place: str) -> None:
    """Refuse to go on where the disk of a machine has too little room.

    Args:
        visit: The machine.
        place: A path there.

    Raises:
        NoRoomError: It has less than ``MACHINE_BYTES``.
    """
    space = visit.probe.space(place)
    if space.total_bytes > 0 and space.free_bytes < MACHINE_BYTES:  # what is no disk tells of no bytes at all
        disk = f"the disk of {place} on {visit.machine}"
        raise no_room(_WHAT, disk, free=space.free_bytes, needed=MACHINE_BYTES)


def took_its_room(result: RunResult) -> bool:
    """Tell whether a job was ended, or not started, for want of room."""
    return result.cause_kind is CauseKind.NO_ROOM


@contextmanager
def hint_resume(folder: Path, activity: str) -> Iterator[None]:
    """Say of every disk that is full what resumes the activity.

    Raises:
        NoRoomError: A disk is full, here or on a machine.
    """
    try:
        yield
    except NoRoomError as error:
        raise NoRoomError(error.message, hint=resuming(activity)) from error
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise NoRoomError(full_disk(_WHAT, folder, error).message, hint=resuming(activity)) from error


@contextmanager
def loss_explained(visit: Visit, place: str) -> Iterator[None]:
    """Say of a job that left no record that the disk there is full, where it is.

    Raises:
        NoRoomError: It is.
        LostJobError: It is not.
    """
    try:
        yield
    except LostJobError as error:
        space = visit.probe.space(place)
        if space.total_bytes > 0 and space.free_bytes < KEEP_FREE_BYTES:
            disk, free = f"the disk of {place} on {visit.machine}", format_bytes(space.free_bytes)
            msg = f"cannot {_WHAT}: {disk} is full ({free} free): the job there has left no record"
            raise NoRoomError(msg) from error
        raise


def resuming(activity: str) -> str:
    """Return what a user does about a full disk."""
    return f"free some space there, then: assay activity resume {activity}"
