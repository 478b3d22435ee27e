"""The file system that a guest has on its disk."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Cost, Factor
from assay.factors.base.filesystems import lacks_program
from assay.factors.base.levels import Words


def _root(draft: Draft, _level: str) -> None:
    draft.disk_depth = 0


def _actual(seen: Evidence, _wanted: str) -> str:
    return str(seen.disk.get("root") or "no file system that is known")


FACTORS = (
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
