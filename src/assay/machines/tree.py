"""What of a folder is carried to a machine or from it: files and folders, nothing else."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """A file or folder below a root.

    Attributes:
        place: Relative path with slashes; empty for the root itself.
        path: Where it is here.
        folder: It is a folder; else it is a regular file.
        mode: Its permission bits.
        bytes: Its size.
    """

    place: str
    path: Path
    folder: bool
    mode: int
    bytes: int


def walk(root: Path, *, follow: bool) -> Iterator[Entry]:
    """Yield a file, or a folder and all below it, each folder before what it holds.

    Sockets, pipes and devices are left out.

    Args:
        root: The file or folder.
        follow: Follow symbolic links; else they are left out.

    Raises:
        OSError: Something cannot be read, or links run in a circle.
    """
    yield from _walk(root, "", follow=follow, above=())


def _walk(path: Path, place: str, *, follow: bool, above: tuple[tuple[int, int], ...]) -> Iterator[Entry]:
    seen = path.stat(follow_symlinks=follow)
    identity = (seen.st_dev, seen.st_ino)
    if stat.S_ISREG(seen.st_mode):
        yield Entry(place, path, folder=False, mode=seen.st_mode & 0o777, bytes=seen.st_size)
    elif stat.S_ISDIR(seen.st_mode):
        if identity in above:
            raise OSError(errno.ELOOP, "a link runs in a circle", str(path))
        yield Entry(place, path, folder=True, mode=seen.st_mode & 0o777, bytes=0)
        for name in sorted(os.listdir(path)):
            below = f"{place}/{name}" if place else name
            yield from _walk(path / name, below, follow=follow, above=(*above, identity))
