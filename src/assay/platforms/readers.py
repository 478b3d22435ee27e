"""Who may read the files of images and guests: their owner, and the group that QEMU's processes have.

Modes are set, whatever the caller's umask. The folders on the way let everybody through and show nobody what
they hold: QEMU runs as a user of its own.

Source: libvirt's capabilities (``host/secmodel`` of the model ``dac``, ``baselabel``: ``+UID:+GID``; a user's
    own libvirt
has none), https://libvirt.org/drvqemu.html ("POSIX users/groups"), ``man 2 chown``.
Limits: a plain user whom the machine's libvirt lets in cannot give a file to QEMU's group: images are then
    for all to
read. A guest's own files stay that user's: libvirt makes them QEMU's for as long as the guest runs.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

if TYPE_CHECKING:
    from libvirt import virConnect

WAY = 0o711
"""Of folders that others pass."""
FOLDER, READ, WRITTEN = 0o750, 0o640, 0o660
"""For ``give``: a folder, a file that QEMU reads, one that it writes."""
PASSED, SHOWN = 0o011, 0o044
"""For ``give``, what everybody may do: pass a folder, read a file."""
_LABEL = re.compile(r"\+?\d+:\+?(\d+)")
_known: WeakKeyDictionary[virConnect, int | None] = WeakKeyDictionary()


def qemu_group(connection: virConnect) -> int | None:
    """Return the group of QEMU's processes on a connection's machine; ``None`` where they are this user's
    own.
    """
    if connection not in _known:  # libvirt looks the machine over to answer
        _known[connection] = group_of(connection.getCapabilities())
    return _known[connection]


def group_of(capabilities: str) -> int | None:
    """Return the group that libvirt's capabilities tell; ``None`` for none."""
    reported = ElementTree.fromstring(capabilities)  # noqa: S314 (libvirt's own)
    label = reported.findtext("host/secmodel[model='dac']/baselabel")
    match = _LABEL.fullmatch(label or "")
    return int(match[1]) if match else None


def make_way(folder: Path) -> None:
    """Make a folder that others pass, where it is not there; one of ours that others may list or change is
    corrected.
    """
    make_missing(folder)
    _set_mode(folder, WAY)


def make_missing(folder: Path, *, mode: int = WAY) -> None:
    """Make a folder and those above it that are not there, each with this mode; one that is there keeps its
    own.
    """
    if not folder.is_dir():
        make_missing(folder.parent, mode=mode)
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(mode)


def make_closed(folder: Path) -> None:
    """Make a new folder that nobody else may enter."""
    folder.mkdir(mode=0o700)
    folder.chmod(0o700)  # an access list of the folder above may say otherwise


def write_private(path: Path, content: bytes) -> None:
    """Write a file that nobody else may read, in the place of any that is there."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    path.chmod(0o600)
    path.write_bytes(content)


def give(path: Path, mode: int, group: int | None, *, shown: int = 0) -> None:
    """Let QEMU's group use a file or a folder, and nobody else.

    Args:
        path: It; another user's is left as it is.
        mode: ``FOLDER``, ``READ`` or ``WRITTEN``.
        group: ``qemu_group``; ``None`` leaves it to its owner alone.
        shown: What everybody may do with it where it cannot be given to that group.
    """
    if group is not None and _has_group(path, group):
        _set_mode(path, mode)
    else:
        _set_mode(path, mode & 0o700 | (0 if group is None else shown))


def _has_group(path: Path, group: int) -> bool:
    """Give a file to a group where it is another's, and tell whether it has it now."""
    if path.stat().st_gid != group:
        try:
            os.chown(path, -1, group)
        except PermissionError:
            return False
    return True


def _set_mode(path: Path, mode: int) -> None:
    seen = path.stat()
    if stat.S_IMODE(seen.st_mode) != mode and os.geteuid() in {0, seen.st_uid}:
        path.chmod(mode)
