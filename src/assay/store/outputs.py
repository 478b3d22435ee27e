"""The files that a trial brought: which there are, and their text; a link among them is none of them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from assay.model.errors import AssayError, UnknownNameError
from assay.store.confined import is_plain_name

MOST_BYTES = 64 * 1024**2
"""Of a file that is given out as text."""
_NOT_TEXT = frozenset(range(9)) | frozenset(range(14, 27))
"""Control characters that no text has; 27 begins a colour."""


@dataclass(frozen=True)
class Brought:
    """A file that a trial brought.

    Attributes:
        path: Where it lies below the trial's folder.
        size_bytes: Its size.
    """

    path: str
    size_bytes: int


def brought(folder: Path, *, most: int) -> tuple[Brought, ...]:
    """Return the files of a trial's folder by their path, no more than so many."""
    return tuple(islice(_files(folder), most))


def _files(folder: Path) -> Iterator[Brought]:
    for above, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        folders.sort()
        below = os.path.relpath(above, folder)
        for name in sorted(files):
            found = os.lstat(name, dir_fd=descriptor)
            if stat.S_ISREG(found.st_mode) and is_plain_name(name):
                yield Brought(name if below == "." else f"{below}/{name}", found.st_size)


def read_brought(folder: Path, path: str) -> bytes:
    """Return the text of a file that a trial brought.

    Args:
        folder: The trial's folder.
        path: Path of the file below it.

    Raises:
        UnknownNameError: There is no such file; a link is none.
        AssayError: It is no text, or larger than ``MOST_BYTES``.
    """
    try:
        file = _opened(folder, path.split("/"))
    except OSError:
        kind = "file of the trial"
        raise UnknownNameError(kind, path, [one.path for one in brought(folder, most=200)]) from None
    with os.fdopen(file, "rb") as opened:
        size = os.fstat(file).st_size
        if size > MOST_BYTES:
            msg = f"cannot give out {path}: it has {size} bytes, more than {MOST_BYTES}"
            raise AssayError(msg, hint=f"it lies in {folder}")
        text = opened.read(MOST_BYTES)
    if _NOT_TEXT & frozenset(text[: 1 << 16]):
        msg = f"cannot give out {path}: it is no text"
        raise AssayError(msg, hint=f"it lies in {folder}")
    return text


def _opened(folder: Path, parts: list[str]) -> int:
    """Open a regular file below a folder; no part of its path may be a link, or lead out."""
    if not all(map(is_plain_name, parts)):
        raise OSError(errno.EINVAL, "no path below the folder")
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            os.close(at)
            at = below
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(parts[-1], flags, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "no regular file")
    return file
