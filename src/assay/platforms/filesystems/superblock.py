"""What kind of file system a disk begins with, told by its superblock.

Source: Linux ``Documentation/filesystems/ext4/super.rst``, ``fs/xfs/libxfs/xfs_format.h``,
``include/uapi/linux/btrfs_tree.h``; ``man 1 qemu-img`` for ``qemu-io``, which reads a disk in any format.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from assay.model.files.packages import install_command
from assay.platforms.host_command import host_command

_READ_BYTES = 68 * 1024
_EXT_AT, _EXT_MAGIC, _HAS_JOURNAL, _EXTENTS = 1024, 0xEF53, 0x4, 0x40
_BTRFS_AT, _BTRFS_MAGIC = 0x10040, b"_BHRfS_M"
_LINE = re.compile(r"^[0-9a-f]{8}:((?:  ?[0-9a-f]{2})+)", re.MULTILINE)


def root_filesystem(path: Path, form: str) -> str | None:
    """Return the kind of file system on a guest's disk, in the words of levels; ``None`` where none is known.

    Args:
        path: The disk's file; a running guest may have it open.
        form: Its format, ``qcow2`` or ``raw``.

    Raises:
        MissingError: ``qemu-io`` is not installed.
        PlatformError: it could not be read, or not within a minute.
    """
    command = ["qemu-io", "-r", "-U", "-f", form, "-c", f"read -v 0 {_READ_BYTES}", str(path)]
    dump = host_command(
        command,
        f"cannot read the guest's disk: {path}",
        missing=install_command("qemu-utils"),
        hint="ls -l there, dmesg | tail",
    )
    return parse_superblock(parse_dump(dump))


def parse_dump(text: str) -> bytes:
    """Return the bytes that ``qemu-io`` prints in hexadecimal, 16 a line."""
    return b"".join(bytes.fromhex(line) for line in _LINE.findall(text))


def parse_superblock(start: bytes) -> str | None:
    """Return the kind of file system that a disk begins with, in the words of levels; ``None`` for none
    known.

    Args:
        start: The disk's first 68 KiB; shorter where it is smaller.
    """
    if start.startswith(b"XFSB"):
        return "xfs"
    if start[_BTRFS_AT:].startswith(_BTRFS_MAGIC):
        return "btrfs"
    if len(start) < _EXT_AT + 100 or struct.unpack_from("<H", start, _EXT_AT + 56)[0] != _EXT_MAGIC:
        return None
    compatible, incompatible = struct.unpack_from("<LL", start, _EXT_AT + 92)
    extents = bool(incompatible & _EXTENTS)
    if compatible & _HAS_JOURNAL:
        return "ext4" if extents else "ext3"
    return "ext4-nojournal" if extents else "ext2"
