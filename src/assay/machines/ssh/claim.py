"""Our folder on another machine: made for us alone, or refused."""

from __future__ import annotations

import posixpath
import re
import secrets
import stat

import asyncssh

from assay.machines.room import no_room
from assay.machines.ssh.sftp import LEAST_BYTES, free_there
from assay.model.activity import is_activity_id
from assay.model.errors import MissingError
from assay.model.files.home import TEXT
from assay.model.files.marker import FILE, marker_text


def folder_of(user: str) -> str:
    """Return the place of a user's folder; ``/var/tmp`` is on a disk and survives a boot."""
    return f"/var/tmp/assay-{re.sub(r'[^A-Za-z0-9._-]', '_', user)}"  # noqa: S108 - checked below


async def claim_folder(sftp: asyncssh.SFTPClient, folder: str, machine: str) -> None:
    """Make the folder with mode 0700, or see that the one there is ours alone.

    Anyone may write to ``/var/tmp``, so a folder under our name may be a trap; what is ours there nobody
    else can replace, as the place is sticky.

    It gets a marker, without which nothing in it is ever removed.

    Raises:
        NoRoomError: Its disk is full; servers of version 3 of SFTP only say that something failed.
        MissingError: It is no folder (a link, perhaps), belongs to another, or others may write to it; or it
            holds something, and assay has not made it.
    """
    try:
        await _claim(sftp, folder, machine)
    except asyncssh.SFTPFailure as error:
        above = posixpath.dirname(folder)
        free = await free_there(sftp, above)
        if free is None or free >= LEAST_BYTES:
            raise
        doing, disk = f"make {folder} on {machine}", f"the disk of {above} there"
        raise no_room(doing, disk, free=free, needed=LEAST_BYTES) from error


async def _claim(sftp: asyncssh.SFTPClient, folder: str, machine: str) -> None:
    try:
        await sftp.mkdir(folder, asyncssh.SFTPAttrs(permissions=0o700))
    except asyncssh.SFTPFailure as error:
        try:
            seen = await sftp.lstat(folder)
        except asyncssh.SFTPNoSuchFile:
            raise error from None
        _judge(seen, await _own_uid(sftp, folder), folder=folder, machine=machine)
    if not await _is_there(sftp, f"{folder}/{FILE}"):
        await _mark(sftp, folder, machine)


async def _is_there(sftp: asyncssh.SFTPClient, path: str) -> bool:
    try:
        return stat.S_ISREG((await sftp.lstat(path)).permissions or 0)
    except asyncssh.SFTPNoSuchFile:
        return False


async def _mark(sftp: asyncssh.SFTPClient, folder: str, machine: str) -> None:
    """Mark our folder, and in one that an earlier assay made the folders of its activities."""
    names = sorted(set(map(str, await sftp.listdir(folder))) - {".", ".."})
    if names and not any(name.startswith("probe-") for name in names):
        msg = f"cannot use {folder} on {machine}: it is not empty, and assay has not made it"
        raise MissingError(msg, hint=f"see who made it, then remove it there: ls -la {folder}")
    for name in filter(is_activity_id, names):
        await _write(sftp, f"{folder}/{name}/{FILE}", marker_text(name))
    await _write(sftp, f"{folder}/{FILE}", TEXT)


async def _write(sftp: asyncssh.SFTPClient, path: str, line: str) -> None:
    async with await sftp.open(path, "w") as file:
        await file.write(f"{line}\n")


async def _own_uid(sftp: asyncssh.SFTPClient, folder: str) -> int | None:
    """Return our number there; SFTP tells it only of what one makes."""
    mark = f"{folder}.{secrets.token_hex(6)}"
    await sftp.mkdir(mark, asyncssh.SFTPAttrs(permissions=0o700))
    try:
        return (await sftp.lstat(mark)).uid
    finally:
        await sftp.rmdir(mark)


def _judge(seen: asyncssh.SFTPAttrs, uid: int | None, *, folder: str, machine: str) -> None:
    mode = seen.permissions or 0
    if not stat.S_ISDIR(mode):
        why = "it is no folder" if not stat.S_ISLNK(mode) else "it is a symbolic link"
    elif seen.uid != uid:
        why = f"it belongs to user {seen.uid}, we are user {uid}"
    elif mode & 0o022:
        why = f"others may write to it (mode {stat.S_IMODE(mode):04o})"
    else:
        return
    msg = f"cannot use {folder} on {machine}: {why}"
    raise MissingError(msg, hint=f"see who made it, then remove it there: ls -ld {folder}")
