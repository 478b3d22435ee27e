"""Where an image is built: enough room before, nothing left after, a reason when it fails."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from assay.model.errors import MissingError, NoRoomError
from assay.model.units import format_bytes
from assay.platforms.errors import NoGuestImageError
from assay.platforms.images.command import CommandError
from assay.platforms.images.stored import BUILDING
from assay.platforms.readers import make_missing, write_private
from assay.platforms.removal import remove_tree
from assay.platforms.removal import scratch_folder as new_folder

_COPIES = 2.5
"""Space for a build over the packages' installed size: their root, the disk made from it, the archives."""
_FIXED_BYTES = 200 * 1024**2
"""Package lists, the kernel's archive and ELF file, the disk's journal and inode tables."""
_FULL_BYTES = 16 * 1024**2
"""With less than this free a program that failed most likely failed for want of space."""


def require_root(folder: Path, digest: str, packages: Sequence[str]) -> None:
    """Refuse to build for a user who is not root, and say how root's image becomes the user's.

    Args:
        folder: Where the user's images lie.
        digest: Of the recipe.
        packages: That a site has added to it.

    Raises:
        MissingError: this process is not root's.
    """
    user = os.geteuid()
    if user != 0:
        added = "".join(f" --package {name}" for name in packages)
        acts = (
            f"sudo assay platform image build{added}",
            f"mkdir -p {folder}",
            f"sudo cp -r /var/lib/assay/images/{digest} {folder}/",
            f"sudo chown -R {user} {folder}/{digest}",
        )
        msg = f"cannot build a guest image: it takes root, this is user {user}"
        raise MissingError(msg, hint="; ".join(acts))


def require_space(folder: Path, installed_bytes: int) -> None:
    """Raise NoRoomError where a folder has too little space to build an image of packages of a size."""
    needed = round(installed_bytes * _COPIES) + _FIXED_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        msg = (
            f"cannot build a guest image: {folder}, {format_bytes(needed)} needed, {format_bytes(free)} free"
        )
        raise NoRoomError(msg, hint=_SPACE_HINT)


def clear_leftovers(folder: Path) -> None:
    """Remove what a build that was killed left behind; the caller holds the lock."""
    for path in folder.glob(f"{BUILDING}*"):
        remove_tree(path)


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """Give a new folder in a folder, and remove it with all that is still in it."""
    scratch = new_folder(BUILDING, folder)
    scratch.chmod(0o755)  # APT fetches as a user of its own
    try:
        yield scratch
    finally:
        remove_tree(scratch)


@contextmanager
def log_file(path: Path | None) -> Iterator[IO[str]]:
    """Open a log for writing, its folder made if absent; ``None`` drops what is written."""
    if path is not None:
        make_missing(path.parent)
        write_private(path, b"")
    with Path(path or os.devnull).open("w", encoding="utf-8") as file:
        yield file


@contextmanager
def explained(folder: Path, log: IO[str]) -> Iterator[None]:
    """Turn failures of the build's programs and files into errors for people.

    Raises:
        NoRoomError: the folder's disk is full.
        NoGuestImageError: anything else of the kind.
    """
    try:
        yield
    except (OSError, ValueError, CommandError, subprocess.CalledProcessError) as error:
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        free = shutil.disk_usage(folder).free
        if full or free < _FULL_BYTES:
            msg = f"cannot build a guest image: {folder} is full, {format_bytes(free)} free"
            raise NoRoomError(msg, hint=_SPACE_HINT) from error
        msg = f"cannot build a guest image: {error}"
        raise NoGuestImageError(msg, hint=_log_hint(log)) from error


def _log_hint(log: IO[str]) -> str:
    kept = log.name != os.devnull
    return f"the whole output is in {log.name}" if kept else "apt-get update, then try again"


_SPACE_HINT = "free some space there, or set ASSAY_HOME to a folder on another disk"
