"""The file system that a machine's jobs write on.

An activity puts it in force once its machine is there, as it does the ways to data (``factors.data``).
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Effect, Factor, Hazard
from assay.factors.base.filesystems import SINGLE, FileSystems, lacks_program
from assay.factors.data.access import IN_AN_ACTIVITY


def _actual(_seen: Evidence, _wanted: str) -> str:
    return IN_AN_ACTIVITY


FACTORS = (
    Factor(
        "scratch.filesystem",
        "file system that the scratch folders of a machine's jobs lie on",
        FileSystems(SINGLE, tuple(f"{kind}-on-tmpfs" for kind in SINGLE)),
        "the one of assay's state",
        "losetup and mkfs on a loop file, in the activity's folder of data or on another file "
        "system made there, mount; tmpfs: mount",
        "/proc/self/mountinfo, also of the loop file; ext4: /sys/fs/ext4/DEVICE/journal_task",
        _actual,
        needs=lacks_program,
        hazards=(Hazard.MEMORY,),
        effects=(
            Effect(
                "96 % of CPU time in the kernel on XFS, 87 % on an ext4 loop file on tmpfs",
                "atlas-gen, bare metal",
                "IJCLab 2022",
            ),
        ),
        note="of this machine's own arm alone, 4 GiB; inputs that are prepared, output and the "
        "probe's record lie on it; those not on tmpfs share one disk: compare them with one another",
    ),
)
