"""A folder of a machine that came home packed in one answer, written down here."""

from __future__ import annotations

import base64
import errno
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.model.errors import NoRoomError

MOST_BYTES = 4 << 20
"""Of a folder that comes home in one answer: a record of a minute takes 50 KiB. A larger one comes file by
file.
"""
MOST_ENTRIES = 1000
"""As the probe tells at most."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_CONTRADICTORY = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOENT, errno.ENAMETOOLONG)
"""What comes of entries of which one is a file and a folder, lies in no folder, or has no possible name."""


@dataclass(frozen=True)
class Entry:
    """A file or a folder.

    Attributes:
        path: From the folder that was asked for.
        mode: Permission bits.
        bytes: Size of a file; ``None`` for a folder.
    """

    path: str
    mode: int
    bytes: int | None


@dataclass(frozen=True)
class Content:
    """All that lies in a folder.

    Attributes:
        packed: The files' bytes one after the other, by zlib and in base64; ``None`` where it is too much.
        entries: Files and folders, each after the folder that it lies in.
    """

    packed: str | None
    entries: tuple[Entry, ...]


def write_content(content: Content, here: Path) -> None:
    """Write a folder as it was there; files of it that are here already are replaced.

    Args:
        content: What came.
        here: The folder here, made if it is absent.

    Raises:
        ValueError: No probe of ours says so: a path leads out of the folder, or its bytes are others.
        NoRoomError: The disk here is full.
    """
    if len(content.entries) > MOST_ENTRIES:
        msg = f"expected at most {MOST_ENTRIES} entries, got {len(content.entries)}"
        raise ValueError(msg)
    for entry in content.entries:
        _require_below(entry.path)
    left = memoryview(_unpacked(content))
    try:
        here.mkdir(parents=True, exist_ok=True)
        for entry in content.entries:
            place = here / entry.path
            if entry.bytes is None:
                place.mkdir(exist_ok=True)
                place.chmod(entry.mode & 0o777 | 0o700)
                continue
            place.unlink(missing_ok=True)
            place.write_bytes(left[: entry.bytes])
            place.chmod(entry.mode & 0o777)
            left = left[entry.bytes :]
    except OSError as error:
        if error.errno in _CONTRADICTORY:
            msg = f"its entries contradict each other: {error.filename}: {str(error.strerror).lower()}"
            raise ValueError(msg) from error
        if error.errno not in _FULL:
            raise
        msg = f"cannot write {error.filename or here}: {str(error.strerror).lower()}"
        raise NoRoomError(msg, hint="free some space there") from error


def _unpacked(content: Content) -> bytes:
    """Return the bytes of all files.

    Raises:
        ValueError: They are not as many as the entries say, or not packed so.
    """
    expected = sum(entry.bytes or 0 for entry in content.entries)
    unpacker = zlib.decompressobj()
    try:
        packed = base64.b64decode(content.packed or "", validate=True)
        found = unpacker.decompress(packed, min(expected, MOST_BYTES) + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(found) != expected or any((entry.bytes or 0) < 0 for entry in content.entries):
        msg = f"expected the {expected} B of its entries, got {len(found)} B or more"
        raise ValueError(msg)
    return found


def _require_below(path: str) -> None:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or not parts or ".." in parts or "\0" in path:
        msg = f"expected a path below a folder, got {path!r}"
        raise ValueError(msg)
