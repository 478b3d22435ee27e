"""An image's disk at another size: a copy with a larger file system, made once and shared by all guests.

Source: ``man 8 resize2fs``: a file system that was never mounted since it was made needs no e2fsck first.
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.platforms.errors import PlatformError
from assay.platforms.host_command import HOUR_S, host_command
from assay.platforms.images.stored import Image
from assay.platforms.locks import locked


def sized_disk(image: Image, size_bytes: int | None) -> Path:
    """Return where an image's disk of a size lies; its own where none is asked for."""
    return image.disk if size_bytes is None else image.disk.with_name(f"disk.{size_bytes >> 30}g.raw")


def make_sized(image: Image, size_bytes: int | None) -> Path:
    """Make an image's disk of a size where it is not there yet.

    Raises:
        MissingError: The image is a disk of the user's, whose partitions nobody here knows; or a program is
            not installed.
        PlatformError: It is not larger than the image's, or could not be made.
    """
    path = sized_disk(image, size_bytes)
    if size_bytes is None or path.exists():
        return path
    if image.name is not None:
        msg = f"cannot give a guest of image {image.name} disk.size={size_bytes >> 30} GiB: the disk is yours"
        raise MissingError(msg, hint="enlarge it and add it anew: qemu-img resize, assay platform image add")
    if size_bytes <= image.disk.stat().st_size:
        msg = f"cannot give a guest disk.size={size_bytes >> 30} GiB: its image's disk is larger"
        raise PlatformError(msg)
    with locked(image.folder / ".sized.lock", limit_s=HOUR_S):
        if not path.exists():
            _make(image.disk, path, size_bytes)
    return path


def _make(source: Path, path: Path, size_bytes: int) -> None:
    part = path.with_name(f".{path.name}.new")
    what, hint = f"cannot make {path}", f"df -h {path.parent}"

    def act(*command: str, missing: str) -> None:
        host_command(list(command), what, missing=install_command(missing), hint=hint, timeout_s=HOUR_S)

    try:
        act("cp", "--reflink=auto", "--sparse=always", "--", str(source), str(part), missing="coreutils")
        os.truncate(part, size_bytes)
        act("resize2fs", str(part), missing="e2fsprogs")
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(source.stat().st_mode & 0o777)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
