"""Our folder on another machine: made for us alone, or refused."""

from __future__ import annotations

import re
import secrets
import stat

import asyncssh

from assay.model.errors import MissingError


def folder_of(user: str) -> str:
    """Return the place of a user's folder; ``/var/tmp`` is on a disk and survives a boot."""
    return f"/var/tmp/assay-{re.sub(r'[^A-Za-z0-9._-]', '_', user)}"  # noqa: S108 - checked below


async def claim_folder(sftp: asyncssh.SFTPClient, folder: str, machine: str) -> None:
    """Make the folder with mode 0700, or see that the one there is ours alone.

    Anyone may write to ``/var/tmp``, so a folder under our name may be a trap; what is ours there nobody
    else can replace, as the place is sticky.

    Raises:
        MissingError: It is no folder (a link, perhaps), belongs to another, or others may write to it.
    """
    try:
        await sftp.mkdir(folder, asyncssh.SFTPAttrs(permissions=0o700))
    except asyncssh.SFTPFailure as error:
        try:
            seen = await sftp.lstat(folder)
        except asyncssh.SFTPNoSuchFile:
            raise error from None
        _judge(seen, await _own_uid(sftp, folder), folder=folder, machine=machine)


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
