"""How an arm mounts what a server serves, and how it is seen in the arm's own ``/proc/mounts``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.factors.base.levels import spell_bytes
from assay.model.units import parse_bytes
from assay.platforms.data_servers import ganesha, gluster
from assay.platforms.filesystems.carrier import number_file

KINDS = {"glusterfs": "fuse.glusterfs", "nfs": "nfs4"}
"""By access: the kernel's word for the mounted file system."""
PROGRAMS = {
    "glusterfs": ("glusterfs", "glusterfs-client"),
    "xrootd": ("xrdcp", "xrootd-client"),
    "nfs": ("mount", "mount"),
    "cvmfs": ("cvmfs_config", "cvmfs"),
}
"""By access: what the arm must have, and Debian's package that brings it."""
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mounted:
    """A line of ``/proc/mounts``: kind of file system, its source, its options by name."""

    kind: str
    source: str
    options: Mapping[str, str]


def mount_command(
    access: str,
    server: str,
    client: str,
    point: str,
    *,
    levels: Mapping[str, str],
    written: bool = False,
) -> tuple[str, ...]:
    """Return the argument list that mounts the data, read only, or the folder that jobs write in.

    Args:
        access: ``glusterfs`` or ``nfs``.
        server: Address of the server.
        client: The arm's own address.
        point: Where to, in the arm. Beside it a client that is a process says its number, with ``.pid``, and
            writes its log, with ``.log``, which else would go to ``/var/log`` and stay there.
        levels: Of the arm's factors of data.
        written: The folder that jobs write in; its mount waits for a server that does not answer, since what
            was written would be lost.
    """
    if access == "glusterfs":
        where = (
            f"--volfile-server={server}",
            f"--volfile-id={gluster.WRITTEN if written else gluster.VOLUME}",
        )
        # the page cache is the kernel's, as for every other file system of the arm
        kept = ("--fopen-keep-cache",) if written else ("--read-only", "--fopen-keep-cache")
        return (
            "glusterfs",
            *where,
            *kept,
            f"--pid-file={number_file(point)}",
            f"--log-file={point}.log",
            point,
        )
    waits = ("rw", "vers=4.2", "hard") if written else ("ro", "vers=4.2", "soft", "timeo=100")
    options = [*waits, f"addr={server}", f"clientaddr={client}"]
    if connections := levels.get("data.nfs-nconnect"):
        options.append(f"nconnect={connections}")
    if size := levels.get("data.nfs-rsize"):
        options.append(f"rsize={parse_bytes(size)}")
    return (
        "mount",
        "-i",
        "-t",
        "nfs4",
        "-o",
        ",".join(options),
        f"{server}:{ganesha.WRITTEN if written else ganesha.EXPORT}",
        point,
    )


def parse_mounted(text: str, point: str) -> Mounted | None:
    """Return what is mounted at a place by a ``/proc/mounts``, the last where there are several."""
    rows = [line.split() for line in text.splitlines()]
    mounts = [row for row in rows if len(row) > 3 and _plain(row[1]) == point]
    if not mounts:
        return None
    source, _, kind, options, *_ = mounts[-1]
    pairs = (option.partition("=") for option in options.split(","))
    return Mounted(kind, _plain(source), {name: value for name, _, value in pairs})


def mounted_level(name: str, mounted: Mounted) -> str:
    """Return the level of a factor of data that a mount shows, in the spelling of levels."""
    if name == "data.nfs-nconnect":
        return mounted.options.get("nconnect", "1")
    if name == "data.nfs-rsize":
        size = mounted.options.get("rsize")
        return spell_bytes(int(size)) if size and size.isdecimal() else "not told"
    return next((access for access, kind in KINDS.items() if kind == mounted.kind), mounted.kind)


def _plain(word: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), word)
