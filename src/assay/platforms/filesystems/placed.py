"""Folders of ours on the site's own mount points and empty devices, seen in a folder of assay's state.

What is put there is known by a link in that folder, made first: it goes with the folder, after a crash too.
A mount point gets one marked folder, whose name follows from the place that it is seen at, bound to that
place. A device is formatted only where nothing at all is on it, and is left as empty as it was.

Source: ``man 8 wipefs``, ``man 8 blkid``, ``man 8 mount`` (bind mounts).
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from assay.factors.base.places import is_device
from assay.model.errors import MissingError
from assay.model.files.marker import is_marked, make_marked
from assay.model.files.packages import install_command
from assay.platforms.host_command import ask, host_command
from assay.platforms.mounts import Mount, mount_of, read_mounts
from assay.platforms.removal import remove_tree

LINK = "placed"
LABEL = "assay-placed"
"""Of a device that we formatted: no other is ever wiped."""
DEEPEST = 3
"""Levels of folders below one of ours in which links are looked for."""
_LOOKED_AT = 1 << 20
"""Bytes at a device's begin that are zeroes where it is empty."""
_GOING_S = 5.0
"""Until a hypervisor that was ended has let go of a file system."""
_TAME = "nosuid,nodev"
_LOOK_S = 30.0
_NOT_LATER = "lazy_itable_init=0,lazy_journal_init=0"
_SYS = Path("/sys/class/block")


def put_at(folder: Path, place: str, point: Path) -> None:
    """Let what lies at a point of a folder of ours lie on a place of the site.

    Args:
        folder: Of ours; must be there.
        place: A mount point, or an empty block device.
        point: Where in the folder; it is made.

    Raises:
        MissingError: the mount point is none any more, the device is not empty, or a program is missing.
        PlatformError: it could not be made or mounted; what was made goes with ``forget_places``.
    """
    require_place(place)
    point.mkdir(mode=0o755)
    what, link = f"{place} for {folder.name}", folder / LINK
    if is_device(place):
        link.symlink_to(place)
        _run(["mkfs.ext4", "-q", "-m", "0", "-L", LABEL, "-E", _NOT_LATER, place], what)
        _run(["mount", "-t", "ext4", "-o", _TAME, place, str(point)], what)
    else:
        target = _target(link, place)
        link.symlink_to(target)
        make_marked(target, mode=0o755)
        _run(["mount", "--bind", str(target), str(point)], what)
    point.chmod(0o755)


def require_place(place: str) -> None:
    """Refuse a place that is no mount point, or a device on which anything is.

    Raises:
        MissingError: It is.
    """
    if is_device(place):
        _require_empty(Path(place))
    elif not any(mount.point == Path(place) for mount in read_mounts()):
        msg = f"cannot use {place}: it is no mount point here"
        raise MissingError(msg, hint="findmnt lists them; one of assay's own is never made there")


def free_bytes(place: str) -> int:
    """Return what is free at a place: all of an empty device."""
    if is_device(place):
        return int((_SYS / Path(place).resolve().name / "size").read_text()) * 512
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


def seen_places(path: Path, mounts: tuple[Mount, ...]) -> tuple[str, ...]:
    """Return the device and the mount points of the file system that a file lies on.

    Args:
        path: Without links in it.
        mounts: As the process that uses it sees them.
    """
    own = mount_of(path, mounts)
    if own is None:
        return ()
    same = [mount for mount in mounts if (mount.device, mount.source) == (own.device, own.source)]
    return tuple(dict.fromkeys((own.source, *(str(mount.point) for mount in same))))


def forget_places(folder: Path) -> None:
    """Remove what lies on places of the site for a folder of ours, whose mounts are gone already.

    A link that does not lead to what its own name stands for is left alone.
    """
    for link in _links(folder):
        target = Path(os.readlink(link))
        if is_device(str(target)):
            if _label(target) == LABEL:
                _empty(target)
        elif target == _target(link, str(target.parent)) and is_marked(target):
            remove_tree(target)


def _empty(device: Path) -> None:
    """Write zeroes over the begin of a device that we formatted, once nobody has it any more.

    A file system that was busy is out of sight before it is gone, and is written once more at its end. One
    that stays busy keeps its label, and is emptied when the device is next used.
    """
    until = time.monotonic() + _GOING_S
    while True:
        try:
            opened = os.open(device, os.O_RDWR | os.O_EXCL)
            break
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                return
        time.sleep(0.1)
    with os.fdopen(opened, "r+b") as held:
        held.write(bytes(_LOOKED_AT))
        held.flush()
        os.fsync(held.fileno())


def _links(folder: Path) -> Iterator[Path]:
    patterns = ("/".join(["*"] * depth + [LINK]) for depth in range(DEEPEST + 1))
    return (found for pattern in patterns for found in folder.glob(pattern) if found.is_symlink())


def _target(link: Path, place: str) -> Path:
    """Return the folder at a place for what is seen beside a link."""
    seen_at = link.parent.resolve() / link.name
    own = hashlib.sha256(str(seen_at).encode()).hexdigest()[:16]
    return Path(place) / f".assay-{own}"


def _require_empty(device: Path) -> None:
    hint = f"lsblk --fs {device}; wipefs {device}: assay formats nothing that holds anything"
    try:
        block = stat.S_ISBLK(device.stat().st_mode)
    except OSError:
        block = False
    if not block:
        msg = f"cannot use {device}: there is no such block device"
        raise MissingError(msg, hint="lsblk lists them")
    place = (_SYS / device.resolve().name).resolve()
    held = [*place.glob("holders/*"), *place.glob(f"{place.name}*/partition")]
    mounted = any(Path(mount.source).resolve() == device.resolve() for mount in read_mounts())
    reported = host_command(
        ["wipefs", "--no-act", "--output", "TYPE", "--noheadings", str(device)],
        f"cannot look at {device}",
        missing=install_command("util-linux"),
        hint=hint,
        timeout_s=_LOOK_S,
    ).split()
    if reported and _label(device) == LABEL and not (held or mounted):
        _empty(device)  # an earlier one of ours
        reported = []
    if held or mounted or reported:
        on_it = reported[0] if reported else "a mount" if mounted else held[0].name
        msg = f"cannot use {device}: it is not empty, {on_it} is on it"
        raise MissingError(msg, hint=hint)
    try:
        opened = os.open(device, os.O_RDONLY | os.O_EXCL)
    except OSError as error:
        msg = f"cannot use {device}: {(error.strerror or str(error)).lower()}"
        raise MissingError(msg, hint=hint) from error
    with os.fdopen(opened, "rb") as start:
        if any(start.read(_LOOKED_AT)):
            msg = f"cannot use {device}: it is not empty, its first MiB is not zeroes"
            raise MissingError(msg, hint=hint)


def _label(device: Path) -> str | None:
    found = ask(["blkid", "-p", "-s", "LABEL", "-o", "value", str(device)], timeout_s=_LOOK_S)
    return None if found is None else found.strip()


def _run(command: list[str], what: str) -> None:
    host_command(
        command, f"cannot use {what}", missing=install_command("util-linux", "e2fsprogs"), hint="dmesg | tail"
    )
