"""A real plain user: nobody, with a home of its own, who sees this checkout and this Python wherever they
lie.

A checkout or an interpreter below a closed folder (``/root``) is laid open in a mount namespace that the
user's commands alone are in: nothing of the machine's files is changed.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import assay
from assay.platforms.process import process_mark, stop_process

UID = 65534
"""nobody: an account of every distribution, as libvirt wants the user to have one."""
_BECOME = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--bounding-set=-all")
_UNSET = ("--unset=ASSAY_HOME", "--unset=XDG_RUNTIME_DIR", "--unset=XDG_DATA_HOME", "--unset=XDG_CACHE_HOME")
_SOURCE = Path(assay.__file__).parents[1]


@dataclass(frozen=True)
class PlainUser:
    """A user without rights.

    Attributes:
        folder: The user's home folder.
    """

    folder: Path

    @property
    def home(self) -> Path:
        """Return the folder of assay's state, which ``ASSAY_HOME`` need not name."""
        return self.folder / ".local" / "share" / "assay"

    def wrap(self, command: Sequence[str], **changes: str) -> list[str]:
        """Return the argument list that runs a command as this user, with changes of the environment."""
        own = {"HOME": str(self.folder), "TMPDIR": str(self.folder), "PYTHONPATH": str(_SOURCE)}
        words = [f"{name}={value}" for name, value in (own | changes).items()]
        run = shlex.join([*_BECOME, "env", *_UNSET, *words, "PYTHONDONTWRITEBYTECODE=1", *command])
        script = f"set -e; {laid_open(self.folder)} exec {run}"
        return ["unshare", "--mount", "--propagation=private", "sh", "-c", script]


@contextmanager
def plain_user() -> Iterator[PlainUser]:
    """Yield a user whose home is new; at the end nothing of it is left, its processes included."""
    folder = Path(tempfile.mkdtemp(prefix="assay-plain-", dir="/var/tmp"))
    try:
        os.chown(folder, UID, UID)
        yield PlainUser(folder)
    finally:
        for pid in processes(folder):
            if (mark := process_mark(pid)) is not None:
                stop_process(mark)
        shutil.rmtree(folder)


def give_image(user: PlainUser, folder: Path) -> None:
    """Give the user a copy of an image of this machine, as the message of a build that takes root says."""
    place = user.home / "images" / folder.name
    place.parent.mkdir(parents=True)
    subprocess.run(["cp", "-r", "--sparse=always", "--reflink=auto", str(folder), str(place)], check=True)
    for path in (user.folder, *user.folder.rglob("*")):
        os.chown(path, UID, UID, follow_symlinks=False)


def processes(folder: Path) -> tuple[int, ...]:
    """Return the processes whose environment names a home in this folder; libvirt gives QEMU one below it."""
    mark = f"HOME={folder}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.startswith(mark) for word in words):
            found.append(int(place.name))
    return tuple(found)


def laid_open(scratch: Path) -> str:
    """Return shell commands that mount open folders over the closed ones above what must be seen."""
    needed = {Path(sys.base_prefix), Path(sys.prefix), Path(__file__).parents[1], _SOURCE}
    closed = {path: top for path in sorted(needed) if (top := _closed_above(path)) is not None}
    aside = {shlex.quote(str(path)): scratch / secrets.token_hex(4) for path in closed}
    lines = [f"mkdir {place}; mount --bind {path} {place}" for path, place in aside.items()]
    lines += [
        f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(top))}" for top in sorted(set(closed.values()))
    ]
    lines += [f"mkdir -p {path}; mount --move {place} {path}; rmdir {place}" for path, place in aside.items()]
    return "".join(f"{line}; " for line in lines)


def _closed_above(path: Path) -> Path | None:
    """Return the topmost folder on the way to a path that others may not enter."""
    return next((one for one in reversed((path, *path.parents)) if not one.stat().st_mode & 0o001), None)
