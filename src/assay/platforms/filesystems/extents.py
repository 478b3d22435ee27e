"""Which parts of a file its file system has allocated without writing them.

Source: Linux ``Documentation/filesystems/fiemap.rst``, ``include/uapi/linux/fiemap.h``.
Limits: ext4, xfs, btrfs and most others on a disk tell; tmpfs does not.
"""

from __future__ import annotations

import fcntl
import struct
from collections.abc import Iterator
from pathlib import Path

_FIEMAP = 0xC020660B
"""``FS_IOC_FIEMAP``: read and write, 32 bytes, 'f', 11."""
_SYNC, _LAST, _UNWRITTEN = 0x1, 0x1, 0x800
_HEAD = struct.Struct("=QQLLLL")
_EXTENT = struct.Struct("=QQQQQLLLL")
_AT_ONCE = 256
_ALL = 2**64 - 1


def unwritten_bytes(path: Path) -> int | None:
    """Return the bytes of a file that have room and were never written; ``None`` where that is not told."""
    try:
        with path.open("rb") as file:
            extents = _extents(file.fileno())
            return sum(length for _, length, flags in extents if flags & _UNWRITTEN)
    except OSError:
        return None


def parse_extents(answer: bytes) -> list[tuple[int, int, int]]:
    """Return start, length and flags of each extent in the kernel's answer, in bytes."""
    count = _HEAD.unpack_from(answer)[3]
    fields = (_EXTENT.unpack_from(answer, _HEAD.size + number * _EXTENT.size) for number in range(count))
    return [(each[0], each[2], each[5]) for each in fields]


def _extents(descriptor: int) -> Iterator[tuple[int, int, int]]:
    start = 0
    while True:
        asked = bytearray(_HEAD.size + _AT_ONCE * _EXTENT.size)
        _HEAD.pack_into(asked, 0, start, _ALL - start, _SYNC, 0, _AT_ONCE, 0)
        fcntl.ioctl(descriptor, _FIEMAP, asked)
        extents = parse_extents(bytes(asked))
        yield from extents
        if not extents or extents[-1][2] & _LAST:
            return
        start = extents[-1][0] + extents[-1][1]
