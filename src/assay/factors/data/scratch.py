"""Where the jobs of an arm write: on which file system, or by which way.

An activity puts it in force once its arm is there, as it does the ways to data (``factors.data``).
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Effect, Factor, Hazard
from assay.factors.base.filesystems import SINGLE, FileSystems, lacks_program
from assay.factors.base.levels import Words
from assay.factors.data.access import IN_AN_ACTIVITY, needs_access
from assay.model.platforms.data import LOCAL, WRITABLE


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
        note="of this machine's own arm alone; room for what jobs are known to write, 4 GiB at least; "
        "inputs that are prepared, output and the probe's record lie on it; those not on tmpfs share one "
        "disk: compare them with one another",
    ),
    Factor(
        "scratch.access",
        "how the arm comes by the folders that its jobs write in",
        Words((LOCAL, *WRITABLE)),
        "local",
        "a server on this machine, a mount in the arm that can be written to",
        "/proc/mounts of the arm, gluster volume info",
        _actual,
        needs=needs_access,
        note="what is not on the server's disk yet when the job ends is not waited for, unless the job syncs "
        "its files; the probe's record lies there, too",
    ),
)
