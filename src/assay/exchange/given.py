"""A file that a person names: what it holds, where it is a file and no larger than one that can be read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

LARGEST_BYTES = 256 << 20
"""As much as a trial keeps of a stream unless its scene says otherwise."""
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class NoFileError(ValueError):
    """Something else than a file of a size that can be read.

    Attributes:
        got: What it is.
    """

    def __init__(self, got: str) -> None:
        self.got = got
        super().__init__(f"expected a file, got {got}")


def read_given(path: Path) -> bytes:
    """Return the content of a regular file; a pipe is not waited for, and a device not read.

    Raises:
        NoFileError: It is no file, or a larger one than ``LARGEST_BYTES``.
        OSError: It cannot be read.
    """
    with open_given(path) as file:
        _check_size(os.fstat(file.fileno()).st_size)
        return read_stream(file)


def open_given(path: Path) -> BinaryIO:
    """Open a regular file of any size, to be read piece by piece; a pipe is not waited for.

    Raises:
        NoFileError: It is no file.
        OSError: It cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise NoFileError(_KINDS.get(stat.S_IFMT(mode), "something else"))
    return open(descriptor, "rb")


def read_stream(stream: BinaryIO) -> bytes:
    """Return all that a stream gives.

    Raises:
        NoFileError: It gives more than ``LARGEST_BYTES``.
        OSError: It cannot be read.
    """
    content = stream.read(LARGEST_BYTES + 1)
    _check_size(len(content))
    return content


def _check_size(size: int) -> None:
    if size > LARGEST_BYTES:
        got = f"more than {LARGEST_BYTES >> 20} MiB"
        raise NoFileError(got)
