"""A file system of a guest's own on its host: made in loop files in the guest's folder, and gone with it.

The mark is the path: whatever is mounted or attached below ``home/guests/NAME`` belongs to that guest.

Source: ``man 8 losetup``, ``mkfs.btrfs``, ``mke2fs``, ``mkfs.xfs``, ``mount``.
Limits: loop files are sparse and lie on the file system of assay's state: it takes part in every figure.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from assay.factors.base.filesystems import MEMORY, level_of_parts, parts_of
from assay.model.files.marker import half_marker, is_marked, is_ours, make_marked, mark
from assay.model.files.packages import install_command
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.carrier import end_carrier
from assay.platforms.filesystems.placed import forget_places
from assay.platforms.host_command import HOUR_S, ask, host_command
from assay.platforms.mounts import Mount, filesystem_of, loops_below, mount_of, read_mounts
from assay.platforms.removal import remove_tree

_ROOM_BYTES = 512 * 1024**2
"""Beside the disk: mkfs.xfs wants 300 MiB at least, btrfs keeps a quarter of a GiB for its trees."""
_NOT_LATER = ("-E", "lazy_itable_init=0,lazy_journal_init=0")
"""Else the kernel would write tables beside a workload."""
_GOING_S = 5.0
"""A hypervisor that was just ended may hold its files a moment longer."""
_DETACHING_S = 60.0
_FLUSHING_S = 3600.0
"""umount writes back what the host still keeps in memory: as much as a disk, and disks are slow."""
"""A copy of all that an image holds, file by file."""
_TAME = "nosuid,nodev"
"""Nothing on a guest's disk may give anybody rights on the host."""


@dataclass(frozen=True)
class _Kind:
    """How a level is made: program and arguments before the devices, how many, the kernel's word."""

    command: tuple[str, ...]
    mounted: str
    devices: int = 1


def _btrfs(profile: str, devices: int) -> _Kind:
    return _Kind(("mkfs.btrfs", "-q", "-d", profile, "-m", profile), "btrfs", devices)


_KINDS = {
    "ext2": _Kind(("mkfs.ext2", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0"), "ext2"),
    "ext4": _Kind(("mkfs.ext4", "-q", "-F", "-m", "0", *_NOT_LATER), "ext4"),
    "ext4-nojournal": _Kind(("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", *_NOT_LATER), "ext4"),
    "xfs": _Kind(("mkfs.xfs", "-q"), "xfs"),
    "btrfs": _btrfs("single", 1),
    "btrfs-raid0": _btrfs("raid0", 2),
    "btrfs-raid1": _btrfs("raid1", 2),
    "btrfs-raid5": _btrfs("raid5", 3),
}


def disk_folder(folder: Path, level: str | None) -> Path:
    """Return where a guest's disk lies: in its folder, or in its own file system mounted there."""
    return folder if level is None else folder / "disk"


def make_filesystem(folder: Path, level: str, *, size_bytes: int, what: str | None = None) -> None:
    """Make a guest's own file system and mount it in its folder.

    Args:
        folder: The guest's folder; must be there.
        level: Of ``disk.host-filesystem``.
        size_bytes: Size of the disk that will lie on it, in full.
        what: Factor and level for messages; ``None`` is that of a guest's disk.

    Raises:
        MissingError: a program is not installed.
        PlatformError: it could not be made; what was made is undone by ``remove_folder``.
    """
    point, what = disk_folder(folder, level), what or f"disk.host-filesystem={level}"
    point.mkdir(mode=0o755)
    size = size_bytes + size_bytes // 8 + _ROOM_BYTES
    if level == MEMORY:
        _mount_tmpfs(point, size, what)
        return
    word, below = parts_of(level)
    kind, place = _KINDS[word], folder
    if below is not None:
        lower = _lower(folder)
        lower.mkdir(mode=0o700)
        make_filesystem(lower, below, size_bytes=size * kind.devices, what=what)
        place = disk_folder(lower, below)
    # on tmpfs through its page cache: an old one has no direct access
    direct = below != MEMORY
    devices = [
        _loop(place / f"loop.{number}.img", size, what, direct=direct) for number in range(kind.devices)
    ]
    run([*kind.command, *devices], what)
    run(["mount", "-t", kind.mounted, "-o", _TAME, devices[0], str(point)], what)
    point.chmod(0o755)


def _lower(folder: Path) -> Path:
    """Return the folder of the file system that the loop files of another lie on."""
    return folder / "lower"


def shown_filesystem(path: Path, mounts: tuple[Mount, ...]) -> str | None:
    """Return the file system that a path lies on, as a level where ``make_filesystem`` made it, in the
    kernel's words.

    Args:
        path: Without links in it.
        mounts: As the process that uses it sees them.

    Returns:
        ``xfs-on-tmpfs`` where its loop files lie on another made for them; else as ``filesystem_of``.
    """
    kind, mount = filesystem_of(path, mounts), mount_of(path, mounts)
    if kind is None or mount is None:
        return None
    below = disk_folder(_lower(mount.point.parent), "mounted")
    return level_of_parts(kind, filesystem_of(below, mounts) if mount.source in loops_below(below) else None)


def _mount_tmpfs(point: Path, size: int, what: str) -> None:
    # it names itself as its source, so that it is known where it is seen from elsewhere, too
    run(["mount", "-t", "tmpfs", "-o", f"{_TAME},size={size},mode=755", str(point), str(point)], what)


def remove_folder(folder: Path) -> bool:
    """Remove a folder of ours with what is mounted and attached in it, and tell whether nothing of it is
    left.

    What no marker names, and a symbolic link, stays as it is; an empty folder holds nothing that could be
    lost.
    """
    folder = folder.parent.resolve() / folder.name
    if is_ours(folder):
        unmount_below(folder)
        for device in loops_below(folder):
            _try(["losetup", "-d", device], timeout_s=_DETACHING_S)
        forget_places(folder)
        remove_tree(folder)
    elif (half := half_marker(folder)) is not None:
        with contextlib.suppress(OSError):
            for entry in half:
                entry.unlink()
            folder.rmdir()
    return not os.path.lexists(folder)


def _loop(file: Path, size: int, what: str, *, direct: bool = True) -> str:
    file.touch(mode=0o600)
    os.truncate(file, size)
    # direct: else its content would lie in the host's memory twice
    how = "on" if direct else "off"
    return run(["losetup", "--find", "--show", f"--direct-io={how}", str(file)], what).strip()


def unmount_below(folder: Path) -> None:
    """Unmount all below a folder and what lies in it and is seen elsewhere, the last first; detach loop
    devices on the way.

    What holds the file of a loop device cannot be unmounted before that is detached. A place elsewhere is
    removed with its mount.
    """
    loops = loops_below(folder)
    for mount in reversed(read_mounts()):
        within = folder in mount.point.parents
        if not (within or mount.source in loops or folder in Path(mount.source).parents):
            continue
        for device in loops_below(mount.point):
            _try(["losetup", "-d", device], timeout_s=_DETACHING_S)
        unmount(mount.point)
        if not within:
            remove_tree(mount.point)


def show_at(point: Path, filesystem: Path, what: str) -> None:
    """Let a mounted file system be seen at another place, too, where it is not yet."""
    if not any(mount.point == point.resolve() for mount in read_mounts()):
        if not is_marked(point):
            make_marked(point, mode=0o755)
        run(["mount", "--bind", str(filesystem), str(point)], what)
        mark(point)  # in that file system, where the folders of trials are removed


def unmount(point: Path) -> None:
    """Unmount a file system; one that stays busy is taken out of sight and goes when its last user does, or
    with the process that carries it, which is ended.
    """
    if not _unmounted(point):
        _try(["umount", "--lazy", str(point)], timeout_s=_DETACHING_S)
    end_carrier(point)


def unmount_whole(point: Path) -> None:
    """Unmount a file system that is read from its file next: all of it must be there.

    Raises:
        PlatformError: it stays busy.
    """
    if not _unmounted(point):
        msg = f"cannot unmount {point}: it stays busy, so its file may lack what was written last"
        raise PlatformError(msg, hint=f"fuser --mount {point}")


def _unmounted(point: Path) -> bool:
    deadline = time.monotonic() + _GOING_S
    while not _try(["umount", str(point)], timeout_s=_FLUSHING_S):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _try(command: list[str], *, timeout_s: float) -> bool:
    return ask(command, timeout_s=timeout_s) is not None


def run(command: list[str], what: str) -> str:
    """Run a program that makes a file system, and return what it prints.

    Args:
        command: Argument list.
        what: Factor and level that it is run for.

    Raises:
        MissingError: it is not installed.
        PlatformError: it failed, then its own words are in the message; or it took over an hour.
    """
    return host_command(
        command,
        f"cannot make {what}",
        missing=install_command("util-linux", "e2fsprogs", "xfsprogs", "btrfs-progs"),
        hint="losetup --list; dmesg | tail",
        timeout_s=HOUR_S,
    )
