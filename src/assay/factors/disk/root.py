"""The file system that a guest has on its disk."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Factor
from assay.factors.base.filesystems import lacks_program
from assay.factors.base.levels import Size, Words, spell_bytes
from assay.model.files.packages import install_command
from assay.model.units import parse_bytes


def _root(draft: Draft, _level: str) -> None:
    draft.disk_depth = 0


def _actual(seen: Evidence, _wanted: str) -> str:
    return str(seen.disk.get("root") or "no file system that is known")


def _size(draft: Draft, level: str) -> None:
    draft.disk_bytes = parse_bytes(level)


def _actual_size(seen: Evidence, _wanted: str) -> str:
    size = seen.disk.get("virtual-size")
    return spell_bytes(size) if isinstance(size, int) else "not told"


def _needs_resize(host: Host, level: str | None) -> str | None:
    if level is None or host.has("resize2fs"):
        return None
    return f"there is no resize2fs: {install_command('e2fsprogs', has=host.has)}"


FACTORS = (
    Factor(
        "disk.size",
        "size of the guest's root disk and of its file system",
        Size("5 GiB", "15 TiB", ("16 GiB", "64 GiB"), step=1 << 30),
        "that of its image, 4 GiB",
        "resize2fs on a copy of the image's disk, which all guests of that size then share",
        "qemu-img info, virtual-size",
        _actual_size,
        cost=Cost.IMAGE,
        edit=_size,
        needs=_needs_resize,
        note="made at its first use, with holes: half a GiB of the host's disk beside what guests write",
    ),
    Factor(
        "disk.guest-filesystem",
        "file system that the guest has on its root disk",
        Words(("ext2", "ext4", "ext4-nojournal", "xfs", "btrfs")),
        "ext4, as the image was made",
        "mkfs on a disk of its own, which gets what the image holds; rootfstype= on the guest "
        "kernel's command line",
        "the superblock on the disk that QEMU has open, by qemu-io",
        _actual,
        cost=Cost.IMAGE,
        edit=_root,
        needs=lacks_program,
        note="the disk is a copy of the image's, file by file: it takes some seconds at each start",
    ),
)
