"""A folder of this machine in a guest by 9p or virtiofs: given to it at its start, mounted and looked at
inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.activities.visits.settings import seen_in_force
from assay.activities.visits.visit import Visit
from assay.factors.catalogue import LevelCheck
from assay.factors.data.share import CACHE, MSIZE, SHARES, mount_options, mounted_kind, mounted_msize
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError
from assay.model.platforms.data import access
from assay.model.platforms.platform import SeenFactor
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.share import SharedFolder, mount_words

PLACE = "/mnt/assay-data"
"""Where the guest has it."""
_MOUNT_S = 60.0
_LOOK_S = 20.0


def share_of(arm: PlannedArm, folder: Path) -> SharedFolder | None:
    """Return what the guest of an arm is given of a folder with the activity's data; ``None`` for nothing."""
    level = access(arm.data)
    return SharedFolder(level, folder, dict(arm.data).get(CACHE)) if level in SHARES else None


def mount_share(visit: Visit, arm: PlannedArm, folder: Path) -> tuple[SeenFactor, ...]:
    """Mount the folder in a guest that was started with it, and return how it has it, seen from both sides.

    Args:
        visit: The guest.
        arm: Its arm.
        folder: What it was started with.

    Raises:
        PlatformError: Its kernel cannot mount it, or not as asked for, or the host does not share it.
    """
    share, levels = share_of(arm, folder), dict(arm.data)
    if share is None or visit.guest is None:
        msg = "BUG: a shared folder in what is no guest"
        raise RuntimeError(msg)
    outside = visit.guest.shared()
    _mount(visit, share, mount_options(share.kind, levels))
    mounts = visit.run(("cat", "/proc/mounts"), timeout_s=_LOOK_S).decode(errors="replace")
    return tuple(_together((*outside, *seen_in_force(_inside(share, levels, mounts)))))


def _together(seen: tuple[SeenFactor, ...]) -> Iterator[SeenFactor]:
    """Yield each factor once, with all places where it was seen."""
    for name, level in dict.fromkeys((one.name, one.level) for one in seen):
        yield SeenFactor(name, level, "; ".join(one.how for one in seen if one.name == name))


def _mount(visit: Visit, share: SharedFolder, options: str) -> None:
    try:
        for words in mount_words(share, PLACE, options):
            visit.run(words, timeout_s=_MOUNT_S)
    except AssayError as error:
        msg = f"cannot mount the data by {share.kind} in the guest: {error.message}"
        hint = "Debian's cloud kernel has no 9p: packages: [linux-image-amd64] in the scene's guest"
        raise PlatformError(msg, hint=hint if share.kind == "9p" else error.hint) from error


def _inside(share: SharedFolder, levels: dict[str, str], mounts: str) -> Iterator[LevelCheck]:
    yield LevelCheck("data.access", share.kind, mounted_kind(mounts, PLACE), "/proc/mounts of the guest")
    if MSIZE in levels:
        yield LevelCheck(MSIZE, levels[MSIZE], mounted_msize(mounts, PLACE), "/proc/mounts of the guest")
