"""``/dev/kvm`` lent to QEMU's user, as udev does where it runs.

A root-only device makes libvirt find its capability cache stale at every look-up and probe QEMU anew,
tens of seconds for each start of a guest. So while a daemon of ours runs, the device belongs to group
``kvm`` with mode 0660, and afterwards to whom it belonged before.
"""

from __future__ import annotations

import grp
import os
import stat
from dataclasses import dataclass
from pathlib import Path

KVM = Path("/dev/kvm")
_GROUP = "kvm"
_MODE = 0o660


@dataclass(frozen=True)
class Ownership:
    """To whom a file belongs, and its permission bits."""

    uid: int
    gid: int
    mode: int


def ownership(path: Path) -> Ownership:
    """Return to whom a file belongs now."""
    status = path.stat()
    return Ownership(status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode))


def kvm_group() -> int | None:
    """Return the number of group ``kvm``; ``None`` where there is none (QEMU is not installed)."""
    try:
        return grp.getgrnam(_GROUP).gr_gid
    except KeyError:
        return None


def to_lend(path: Path, group: int | None) -> Ownership | None:
    """Return what to remember before ``lend``; ``None`` where nothing has to change."""
    if group is None or not path.exists():
        return None
    now = ownership(path)
    lent_already = now.gid == group and now.mode & _MODE == _MODE
    return None if lent_already or now.mode & 0o006 == 0o006 else now


def lend(path: Path, group: int) -> None:
    """Let the group read and write the device."""
    os.chown(path, -1, group)
    path.chmod(_MODE)


def put_back(path: Path, before: Ownership) -> None:
    """Give the device back, unless somebody else changed it meanwhile or it is gone."""
    if not path.exists() or ownership(path) != Ownership(before.uid, kvm_group() or -1, _MODE):
        return
    os.chown(path, before.uid, before.gid)
    path.chmod(before.mode)
