"""The file system of the host that a guest's disk lies on."""

from __future__ import annotations

import re

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Effect, Factor, Hazard
from assay.factors.base.filesystems import MADE, SINGLE, FileSystems, lacks_program
from assay.factors.base.places import PLACES, lacks_place


def _place(draft: Draft, _level: str) -> None:
    draft.disk_depth = 0


def _actual(seen: Evidence, _wanted: str) -> str:
    return str(seen.disk.get("filesystem") or "not told")


def direct_on_tmpfs(host: Host) -> bool:
    """Tell whether a host's tmpfs takes O_DIRECT: Linux 6.6 and newer."""
    version = re.match(r"(\d+)\.(\d+)", host.read("/proc/sys/kernel/osrelease") or "")
    return version is None or (int(version[1]), int(version[2])) >= (6, 6)


def _actual_place(seen: Evidence, wanted: str) -> str:
    places = tuple(seen.disk.get("places") or ())
    return wanted if wanted in places else " or ".join(places) or "not told"


FACTORS = (
    Factor(
        "disk.place",
        "mount points or empty devices of the site that guests' disks lie on, dealt out in turn",
        PLACES,
        "the folder of assay's state",
        "a folder on the mount point, or mkfs.ext4 on the empty device; mount",
        "/proc/PID/mountinfo of QEMU: the file system of the disk is the one that is mounted there",
        _actual_place,
        cost=Cost.IMAGE,
        edit=_place,
        needs=lacks_place,
        hazards=(Hazard.DATA,),
        note="what holds anything is never formatted; the disk is a copy of the image's; a list of levels "
        "compares one disk with several: [/data1, /data1 /data2]",
    ),
    Factor(
        "disk.host-filesystem",
        "file system on the host that the guest's disk lies on",
        FileSystems(MADE, (*(f"{kind}-on-tmpfs" for kind in SINGLE), "xfs-on-ext4", "ext4-on-xfs")),
        "the one of assay's state",
        "losetup and mkfs on loop files in the guest's folder, or on another file system made "
        "there, mount; tmpfs: mount",
        "/proc/PID/mountinfo of QEMU; loop files: /sys/block/loop*/loop/backing_file; ext4: "
        "/sys/fs/ext4/DEVICE/journal_task; btrfs: /sys/fs/btrfs/*/allocation",
        _actual,
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
        note="all but those on tmpfs lie in loop files on the file system of assay's state: compare "
        "them with one "
        "another; tmpfs takes the guest's disk out of the host's memory; the disk is a copy of the image's",
    ),
)
