"""Folders and files of this machine that root and we alone can change, over the whole way from the root.

Source: ``man 8 sshd`` (``StrictModes``), ``man 7 inode`` (the sticky bit).
Limits: access control lists are not read; their mask shows in the group's bits, which are.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from assay.model.errors import MissingError

MOST_LINKS = 40
"""As the kernel follows (``man 7 path_resolution``)."""
OTHERS_WRITE = 0o022


def require_own(folder: Path) -> None:
    """Refuse a folder that another user owns, may write to, or may put another in the place of.

    Every folder and link on its way must be root's or ours, and only we may write to it. A folder on the way
    may be sticky, such as ``/tmp``: nobody else can replace what is ours there, but anybody can put files
    into it, so the folder itself may not. What is not there yet is passed over.

    Raises:
        MissingError: One of them is another user's, or others may write to it; or a part is no folder.
    """
    try:
        way = list(_way(folder.absolute()))
        is_there = folder.exists()
        for number, (place, seen) in enumerate(way, start=1):
            if (why := _danger(seen, sticky=number < len(way) or not is_there)) is not None:
                msg = f"cannot use {folder}: {place} {why}"
                raise MissingError(
                    msg, hint=f"see who made it: ls -ld {place}; or name a folder of your own: ASSAY_HOME"
                )
    except OSError as error:
        msg = f"cannot use {folder}: {error.strerror}: {error.filename}"
        raise MissingError(msg, hint="set ASSAY_HOME to a folder that you may write") from error


def is_own_file(path: Path) -> bool:
    """Tell whether a path is a regular file that root and we alone can write to."""
    try:
        seen = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(seen.st_mode) and _danger(seen, sticky=False) is None


def _danger(seen: os.stat_result, *, sticky: bool) -> str | None:
    """Return what is wrong with a part of the way; ``None`` where nothing is."""
    if seen.st_uid not in {0, os.geteuid()}:
        return f"belongs to user {seen.st_uid}, we are user {os.geteuid()}"
    others = stat.S_IWOTH if _is_private(seen.st_gid) else OTHERS_WRITE
    loose = seen.st_mode & others and not stat.S_ISLNK(seen.st_mode) and not (sticky and _is_sticky(seen))
    return f"may be written to by others (mode {stat.S_IMODE(seen.st_mode):04o})" if loose else None


@cache
def _is_private(gid: int) -> bool:
    """Tell whether a group is the user's own, of which nobody else is a member: umask 002 goes with such
    groups.
    """
    try:
        user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == user and set(group.gr_mem) <= {user}


def _is_sticky(seen: os.stat_result) -> bool:
    return stat.S_ISDIR(seen.st_mode) and bool(seen.st_mode & stat.S_ISVTX)


def _way(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every folder and link that leads to a path, as far as it is there, links followed step by step.

    Raises:
        OSError: a part cannot be looked at, is no folder, or links run in a circle.
    """
    at, left, links = Path("/"), list(path.parts[1:]), 0
    yield at, at.lstat()
    while left:
        step = at / left.pop(0) if left[0] != ".." else _above(at, left)
        try:
            seen = step.lstat()
        except FileNotFoundError:
            return
        yield step, seen
        if not stat.S_ISLNK(seen.st_mode):
            at = step
            continue
        if (links := links + 1) > MOST_LINKS:
            raise OSError(errno.ELOOP, "links run in a circle", str(path))
        target = Path(os.readlink(step))
        at, left = (Path("/") if target.is_absolute() else at), [*target.parts[target.is_absolute() :], *left]


def _above(at: Path, left: list[str]) -> Path:
    left.pop(0)
    return at.parent
