"""A guest's root disk on another kind of file system than its image's: made anew, with all that the image
holds.

Source: ``man 8 mkfs.xfs``, ``mkfs.btrfs``, ``mke2fs``; Linux
    ``Documentation/admin-guide/kernel-parameters.txt``
(``rootfstype``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from assay.platforms.filesystems.host_filesystem import run, unmount_whole
from assay.platforms.guests.spec import GUEST_FILESYSTEM
from assay.platforms.images.initrd import make_initrd
from assay.platforms.images.recipe import DRIVERS, own_file
from assay.platforms.images.stored import Image

_EXT = ("-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0")


@dataclass(frozen=True)
class _Kind:
    """How a level is made, by which word the guest mounts it, and the driver for that."""

    command: tuple[str, ...]
    mounted: str
    module: str


_KINDS = {
    "ext2": _Kind(("mkfs.ext2", "-q", "-F", "-m", "0", "-E", "root_owner=0:0"), "ext2", "ext4"),
    "ext4": _Kind(("mkfs.ext4", *_EXT), "ext4", "ext4"),
    "ext4-nojournal": _Kind(("mkfs.ext4", "-O", "^has_journal", *_EXT), "ext4", "ext4"),
    "xfs": _Kind(("mkfs.xfs", "-q"), "xfs", "xfs"),
    "btrfs": _Kind(("mkfs.btrfs", "-q"), "btrfs", "btrfs"),
}


def root_kind(level: str | None) -> tuple[str, ...]:
    """Return the words that tell a guest's kernel and initrd of its root's file system; none for
    the image's.
    """
    return () if level is None else (f"rootfstype={_KINDS[level].mounted}",)


def make_empty_root(folder: Path, level: str, *, size_bytes: int) -> Path:
    """Return a raw disk in a folder with an empty file system; raises as ``make_root``."""
    file = folder / "root.img"
    file.touch(mode=0o600)
    os.truncate(file, size_bytes)
    run([*_KINDS[level].command, str(file)], f"{GUEST_FILESYSTEM}={level}")
    return file


def make_root(folder: Path, level: str, image: Image, *, size_bytes: int) -> Path:
    """Make a raw disk with what an image holds on another file system, and an initrd that can mount it.

    Args:
        folder: The guest's folder; gets ``initrd``. What is mounted in it on a failure goes with
            ``remove_folder``.
        level: Of ``disk.guest-filesystem``.
        image: What the guest boots.
        size_bytes: Of the disk.

    Returns:
        The disk; the caller's to remove.

    Raises:
        MissingError: a program is not installed.
        PlatformError: it could not be made, or stays busy: its file would lack what was not yet written.
    """
    what = f"{GUEST_FILESYSTEM}={level}"
    file = make_empty_root(folder, level, size_bytes=size_bytes)
    closed = folder / "roots"
    closed.mkdir(mode=0o700)  # else the host's users could read and run what is in the guest
    old, new = closed / "old", closed / "new"
    old.mkdir()
    new.mkdir()
    run(["mount", "-t", "ext4", "-o", "loop,ro,noload,nosuid,nodev", str(image.disk), str(old)], what)
    run(["mount", "-t", _KINDS[level].mounted, "-o", "loop,nosuid,nodev", str(file), str(new)], what)
    run(["cp", "--archive", "--no-target-directory", str(old), str(new)], what)
    (folder / "initrd").write_bytes(_initrd(old, level, image))
    for point in (new, old):
        unmount_whole(point)
        point.rmdir()
    closed.rmdir()
    return file


def _initrd(root: Path, level: str, image: Image) -> bytes:
    drivers = replace(DRIVERS, loaded=(*DRIVERS.loaded, _KINDS[level].module))
    return make_initrd(root, image.kernel_release, script=own_file("initrd-init"), drivers=drivers)
