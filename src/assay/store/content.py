"""What is written once of an activity's folder: its files one by one, their digest, and a copy of them.

Links, pipes and devices are no part of it, also those that another user puts in the place of a file
meanwhile.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

FILES = ("activity.json", "proof.json")
FOLDERS = ("trials", "rejected", "facts", "objects")
"""Pages are made anew from these, and a trial that is under way belongs to the home where it runs."""
PAGE = "report.json"
"""Of an earlier assay it alone tells that an activity had ended."""
TAGS = "tags.json"
"""What people call the result by."""
BESIDE = (PAGE, TAGS)
"""Copied along, and no part of what must be the same."""


def copy_content(folder: Path, place: Path) -> None:
    """Copy it to a folder that is there, and what lies beside it.

    Raises:
        OSError: a file cannot be read, or not be written.
    """
    for entry in _entries(folder, (*FILES, *BESIDE)):
        target = place / entry.place
        target.parent.mkdir(parents=True, exist_ok=True)
        with entry.opened() as source, target.open("wb") as file:
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())


def content_bytes(folder: Path) -> int:
    """Return how many bytes a copy of it takes.

    Raises:
        OSError: a folder cannot be read.
    """
    entries = _entries(folder, (*FILES, *BESIDE))
    return sum(os.stat(one.name, dir_fd=one.folder, follow_symlinks=False).st_size for one in entries)


def content_digest(folder: Path) -> str:
    """Return a digest of it, of names and content.

    Raises:
        OSError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for entry in _entries(folder):
        with entry.opened() as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{entry.place}\0{checksum}\0".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Entry:
    """A regular file.

    Attributes:
        place: Its path below the activity's folder.
        name: Its name.
        folder: Descriptor of the folder that it lies in.
    """

    place: str
    name: str
    folder: int

    def opened(self) -> BufferedReader:
        """Open it, if it is a regular file still."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.fdopen(os.open(self.name, flags, dir_fd=self.folder), "rb")
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise OSError(errno.EINVAL, "no regular file any more", self.place)
        return file


def _entries(root: Path, kept: tuple[str, ...] = FILES) -> Iterator[_Entry]:
    """Yield the files in a fixed order; a name with a dot in front is of what was not yet whole."""
    for folder, folders, files, descriptor in os.fwalk(root, follow_symlinks=False):
        below = os.path.relpath(folder, root)
        top = below == "."
        folders[:] = sorted(name for name in folders if _is_wanted(name, FOLDERS if top else None))
        for name in sorted(name for name in files if _is_wanted(name, kept if top else None)):
            if stat.S_ISREG(os.lstat(name, dir_fd=descriptor).st_mode):
                yield _Entry(name if top else f"{below}/{name}", name, descriptor)


def _is_wanted(name: str, among: tuple[str, ...] | None) -> bool:
    return not name.startswith(".") if among is None else name in among
