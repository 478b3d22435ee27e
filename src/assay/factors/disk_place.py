"""The file system of the host that a guest's disk lies on."""

from __future__ import annotations

import re

from assay.factors.draft import Draft
from assay.factors.evidence import Evidence, Host
from assay.factors.factor import Cost, Effect, Factor, Hazard
from assay.factors.levels import Words

_PROGRAMS = {
    "xfs": ("mkfs.xfs", "xfsprogs"),
    "btrfs": ("mkfs.btrfs", "btrfs-progs"),
    "ext2": ("mkfs.ext2", "e2fsprogs"),
}
_FALLBACK = ("mkfs.ext4", "e2fsprogs")


def _place(draft: Draft, _level: str) -> None:
    draft.disk_depth = 0


def _found(seen: Evidence, _wanted: str) -> str:
    return str(seen.disk.get("filesystem") or "not told")


def lacks_program(host: Host, level: str | None) -> str | None:
    """Return why a level of a file system cannot be made on a host, one clause; ``None`` where it can."""
    if not host.root:
        return "only root may mount a file system"
    if level in (None, "tmpfs"):
        return None
    program, package = _PROGRAMS.get(str(level).partition("-")[0], _FALLBACK)
    return None if host.has(program) else f"{program} is not installed; apt install {package}"


def direct_on_tmpfs(host: Host) -> bool:
    """Tell whether a host's tmpfs takes O_DIRECT: Linux 6.6 and newer."""
    found = re.match(r"(\d+)\.(\d+)", host.read("/proc/sys/kernel/osrelease") or "")
    return found is None or (int(found[1]), int(found[2])) >= (6, 6)


FACTORS = (
    Factor(
        "disk.host-filesystem",
        "file system on the host that the guest's disk lies on",
        Words(
            (
                *("ext2", "ext4", "ext4-nojournal", "xfs"),
                *("btrfs", "btrfs-raid0", "btrfs-raid1", "btrfs-raid5", "tmpfs"),
            )
        ),
        "the one of assay's state",
        "losetup and mkfs on loop files in the guest's folder, mount; tmpfs: mount",
        "/proc/PID/mountinfo of QEMU; ext4: /sys/fs/ext4/DEVICE/journal_task; btrfs: /sys/fs/btrfs/*/allocation",
        _found,
        cost=Cost.IMAGE,
        edit=_place,
        needs=lacks_program,
        hazards=(Hazard.DATA, Hazard.MEMORY),
        effects=(
            Effect(
                "3,445 s in a guest against 15,131 s on metal, 96 % of it in the kernel",
                "POWHEG, XFS on the host",
                "IJCLab 2022",
            ),
        ),
        note="all but tmpfs lie in loop files on the file system of assay's state: compare them with one "
        "another; tmpfs takes the guest's disk out of the host's memory; the disk is a copy of the image's",
    ),
)
