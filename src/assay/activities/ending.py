"""How an activity ends: what must be done at its end never hides why it ended, and a full disk is named."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.model.errors import AssayError, MissingError
from assay.model.units import format_bytes

_OF_A_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG}


@contextmanager
def ending(act: Callable[[], object], tell: Callable[[str], object]) -> Iterator[None]:
    """Do an act at the end of what is inside, whatever happened there.

    Args:
        act: What is done; its own failure is raised only where nothing failed inside.
        tell: Told of the act's failure where something else failed before.
    """
    try:
        yield
    except BaseException:
        try:
            act()
        except (AssayError, OSError) as error:
            tell(f"afterwards: {error}")
        raise
    act()


@contextmanager
def disk_refusals(home: Path, activity: str) -> Iterator[None]:
    """Turn what a file system refuses while an activity runs into an error that says which, and how to go on.

    Raises:
        MissingError: A file could not be written or read.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_A_DISK:
            raise
        place = home if error.filename is None else Path(os.fsdecode(error.filename))
        msg = f"cannot use {place}: {str(error.strerror).lower()}{_room(place)}"
        hint = f"make room there, or mend it; then: assay activity resume {activity}"
        raise MissingError(msg, hint=hint) from error


def _room(place: Path) -> str:
    """Return what is free where a path lies, or would; nothing where that is not told."""
    try:
        room = shutil.disk_usage(next(above for above in (place, *place.parents) if above.exists()))
    except OSError:
        return ""
    return f"; {format_bytes(room.free)} of {format_bytes(room.total)} are free there"
