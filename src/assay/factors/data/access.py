"""Factors of how an arm comes by the data that its workloads read.

They hold for guests and for machines alike, so that the way to the data can be the same on both arms, or the
one thing in which they differ. What is in force is looked at by the activity once the arm is there
(``activities.data.delivery``).
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Effect, Factor, Hazard
from assay.factors.base.filesystems import lacks_program
from assay.factors.base.levels import Size, Whole, Words
from assay.factors.base.places import PLACES, lacks_place
from assay.factors.data.share import CACHE, MSIZE, MSIZES, SHARES, needs_share
from assay.model.files.packages import install_command

IN_AN_ACTIVITY = (
    "is put in force and looked at by an activity, once its arm is there; a paused guest has no data"
)
"""Why it cannot be tried without one."""
SERVERS = {
    "glusterfs": ("glusterd", "glusterfs-server"),
    "xrootd": ("xrootd", "xrootd-server"),
    "nfs": ("ganesha.nfsd", "nfs-ganesha nfs-ganesha-vfs"),
}
"""By access: the server that this machine runs for it, and Debian's packages that bring it."""


def _actual(_seen: Evidence, _wanted: str) -> str:
    return IN_AN_ACTIVITY


def needs_access(host: Host, level: str | None) -> str | None:
    """Return why a host cannot give an arm a way to data, one clause; ``None`` where it can."""
    if level == "cvmfs":
        return None if host.has("cvmfs_config") else "needs a CVMFS client: this machine has no cvmfs_config"
    program, packages = SERVERS.get(level or "", ("", ""))
    if program and not host.has(program):
        return f"needs {program}; {install_command(*packages.split(), has=host.has)}"
    return needs_share(host, level)


FACTORS = (
    Factor(
        "data.access",
        "how the arm comes by the data that its workloads read",
        Words(("local", "glusterfs", "xrootd", "nfs", *SHARES, "cvmfs")),
        "local; of the baseline, as the treatment",
        "a server on this machine, a mount in the arm",
        "/proc/mounts of the arm, gluster volume info, command lines of QEMU and virtiofsd, the "
        "size of each file as the arm sees it",
        _actual,
        needs=needs_access,
        effects=(
            Effect(
                'a loss "10 % better" on GlusterFS than on local disk', "JUNO's software", "JUNO 2017 2.4"
            ),
        ),
        note="cold counts for the server's files too; a machine whose kernel has no NFS client reads "
        "locally; 9p and virtiofs are ways into a guest, 9p not with Debian's cloud kernel (packages: "
        "[linux-image-amd64] has it)",
    ),
    Factor(
        "data.filesystem",
        "file system that a machine's own copy of the data lies on",
        Words(
            (
                *("ext2", "ext4", "ext4-nojournal", "ext4-spread", "xfs"),
                *("btrfs", "btrfs-raid0", "btrfs-raid1", "btrfs-raid5", "tmpfs"),
            )
        ),
        "the one of assay's state",
        "losetup and mkfs on loop files in the activity's folder of data, mount; tmpfs: mount",
        "/proc/self/mountinfo; ext4: /sys/fs/ext4/DEVICE/journal_task; btrfs: /sys/fs/btrfs/*/allocation",
        _actual,
        needs=lacks_program,
        hazards=(Hazard.MEMORY,),
        effects=(
            Effect(
                "55 MB/s and 8 workers of a RAID 5, 25 MB/s and 2 of one disk",
                "PROOF, all branches",
                "Chen 2007",
            ),
        ),
        note="of this machine's own arm alone, with data.access local; ext4-spread: files dealt out "
        "to three file "
        "systems; loop files share one disk: compare them with one another; tmpfs cannot be cold",
    ),
    Factor(
        "data.place",
        "mount points or empty devices of the site that a machine's own copy of the data lies on",
        PLACES,
        "the folder of assay's state",
        "a folder on each mount point, or mkfs.ext4 on each empty device; mount",
        "/proc/self/mountinfo: the file system of each file is the one that is mounted there",
        _actual,
        needs=lacks_place,
        hazards=(Hazard.DATA,),
        effects=(
            Effect("one disk feeds 2 workers, a RAID 5 of eight 8", "PROOF, all branches", "Chen 2007"),
        ),
        note="files are dealt out in turn; what holds anything is never formatted; of this machine's own arm "
        "alone, with data.access local; of guests disk.place says it",
    ),
    Factor(
        "data.nfs-nconnect",
        "connections of an NFS mount",
        Whole(1, 16, (1, 4)),
        "1",
        "mount option nconnect",
        "/proc/mounts of the arm",
        _actual,
        note="since Linux 5.3; helps where one connection does not fill the link",
    ),
    Factor(
        "data.nfs-rsize",
        "largest read of an NFS mount",
        Size("4 KiB", "1 MiB", ("32 KiB", "1 MiB"), step=4096),
        "1 MiB, or what the server allows",
        "mount option rsize",
        "/proc/mounts of the arm",
        _actual,
        note="the server may allow less, which is found and refused",
    ),
    Factor(
        MSIZE,
        "largest request of a 9p mount",
        Words(tuple(MSIZES)),
        "128 KiB since Linux 5.15, 8 KiB before",
        "mount option msize",
        "/proc/mounts of the guest",
        _actual,
        effects=(
            Effect(
                "8 KiB 14, 128 KiB 70, 512000 B 342 MB/s",
                "reading a file in a guest under TCG, once each",
                "own measurement, two cores with other work on them",
            ),
        ),
        note="a virtio request holds 512000 B at most; the kernel shows the size only where it is not "
        "its default",
    ),
    Factor(
        CACHE,
        "what virtiofs lets a guest keep of the host's files",
        Words(("none", "always")),
        "auto, virtiofsd's own: for a second",
        "devices/filesystem/binary/cache/@mode",
        "virtiofsd's command line",
        _actual,
        hazards=(Hazard.DATA,),
        note="always: what changes on the host is not seen in the guest",
    ),
)
