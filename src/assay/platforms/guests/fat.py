"""A small file system with a few files in it, made without a tool and without mounting anything.

Source: Microsoft "FAT: General Overview of On-Disk Format" 1.03 (boot sector, FAT12, long names).
Limits: 1.44 MB in all, files in the root folder only, names of ASCII.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

_SECTOR = 512
_SECTORS, _RESERVED, _FATS, _FAT_SECTORS, _ROOT_ENTRIES = 2880, 1, 2, 9, 224
_ROOT_SECTORS = _ROOT_ENTRIES * 32 // _SECTOR
_CLUSTERS = _SECTORS - _RESERVED - _FATS * _FAT_SECTORS - _ROOT_SECTORS
_FIRST = 2
"""Number of the first cluster that holds content."""
_END = 0xFFF
_MEDIA = 0xF0
_LABEL, _LONG, _ARCHIVE = 0x08, 0x0F, 0x20
_PIECE = 13
"""Characters of a long name in one entry of the folder."""


def fat_disk(files: Mapping[str, bytes], *, label: str) -> bytes:
    """Return the content of a disk of 1.44 MB, whole and without partitions.

    Args:
        files: Content by name; not empty.
        label: Label of the file system, 11 characters at most.

    Raises:
        ValueError: the files do not fit.
    """
    table, folder, content = [0xF00 | _MEDIA, _END], [_entry(label.ljust(11).encode(), _LABEL, 0, 0)], b""
    for number, (name, data) in enumerate(files.items(), start=1):
        clusters = max(1, -(-len(data) // _SECTOR))
        first = len(table)
        table += [*range(first + 1, first + clusters), _END]
        folder += _named(name, number, first, len(data))
        content += data.ljust(clusters * _SECTOR, b"\0")
    if len(table) - _FIRST > _CLUSTERS or len(folder) > _ROOT_ENTRIES:
        msg = f"{len(content)} bytes in {len(files)} files do not fit on a disk of 1.44 MB"
        raise ValueError(msg)
    fat = _packed(table).ljust(_FAT_SECTORS * _SECTOR, b"\0")
    root = b"".join(folder).ljust(_ROOT_SECTORS * _SECTOR, b"\0")
    return (_boot_sector(label) + fat * _FATS + root + content).ljust(_SECTORS * _SECTOR, b"\0")


def _boot_sector(label: str) -> bytes:
    geometry = struct.pack(
        "<HBHBHHBHHHII",
        *(_SECTOR, 1, _RESERVED, _FATS, _ROOT_ENTRIES, _SECTORS, _MEDIA, _FAT_SECTORS, 18, 2, 0, 0),
    )
    named = struct.pack("<BBBI11s8s", 0, 0, 0x29, 0xA55A, label.ljust(11).encode(), b"FAT12   ")
    return (b"\xeb\x3c\x90" + b"assay   " + geometry + named).ljust(_SECTOR - 2, b"\0") + b"\x55\xaa"


def _packed(table: list[int]) -> bytes:
    pairs = zip(table[::2], [*table[1::2], 0], strict=False)
    return b"".join((low | high << 12).to_bytes(3, "little") for low, high in pairs)


def _named(name: str, number: int, cluster: int, size: int) -> list[bytes]:
    short = f"ASSAY~{number}".ljust(8).encode() + b"   "
    check = 0
    for byte in short:
        check = ((check >> 1) | (check & 1) << 7) + byte & 0xFF
    pieces = [name[start : start + _PIECE] for start in range(0, len(name), _PIECE)]
    long = [_long_entry(piece, order, check) for order, piece in enumerate(pieces, start=1)]
    long[-1] = bytes([long[-1][0] | 0x40]) + long[-1][1:]
    return [*reversed(long), _entry(short, _ARCHIVE, cluster, size)]


def _long_entry(piece: str, order: int, check: int) -> bytes:
    ended = piece if len(piece) == _PIECE else piece + "\0"
    text = ended.encode("utf-16-le").ljust(2 * _PIECE, b"\xff")
    return struct.pack("<B10sBBB12sH4s", order, text[:10], _LONG, 0, check, text[10:22], 0, text[22:])


def _entry(name: bytes, kind: int, cluster: int, size: int) -> bytes:
    day = (2020 - 1980) << 9 | 1 << 5 | 1  # any: the same files give the same bytes
    return struct.pack("<11sBBBHHHHHHHI", name, kind, 0, 0, 0, day, day, 0, 0, day, cluster, size)
