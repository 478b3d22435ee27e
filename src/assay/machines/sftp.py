"""Files and folders over SFTP: to a machine and back."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import posixpath
import secrets
import stat
from collections.abc import Awaitable, Iterable
from pathlib import Path
from typing import TypeVar

import asyncssh

from assay.machines.tree import Entry

T = TypeVar("T")

STEP_S = 60.0
"""One request of a few packets has this long; a guest under emulation answers within one."""
SLOWEST_BYTES_PER_S = 128 * 1024
"""A file that is slower than this is taken for stuck."""


async def size_of(sftp: asyncssh.SFTPClient, there: str) -> int | None:
    """Return the bytes of a regular file, or ``None`` if there is none."""
    try:
        seen = await _step(sftp.stat(there))
    except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath):
        return None
    return seen.size if stat.S_ISREG(seen.permissions or 0) else None


async def is_own_file(sftp: asyncssh.SFTPClient, there: str, folder: str) -> bool:
    """Tell whether a path is a regular file of who owns our folder, that nobody else can write to."""
    try:
        seen, ours = await _step(sftp.lstat(there)), await _step(sftp.lstat(folder))
    except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath):
        return False
    return _is(seen, stat.S_IFREG) and seen.uid == ours.uid and not (seen.permissions or 0) & 0o022


async def digest_of(sftp: asyncssh.SFTPClient, there: str) -> str:
    """Return the SHA-256 of a file, read from here."""
    digest = hashlib.sha256()
    async with await _step(sftp.open(there, "rb")) as file:
        while part := await _step(file.read(1 << 20)):
            digest.update(part)  # type: ignore[arg-type] # bytes, as it was opened for them
    return digest.hexdigest()


async def put_tree(
    sftp: asyncssh.SFTPClient, entries: Iterable[Entry], there: str, *, executable: bool
) -> None:
    """Write a file or a folder; each file is there whole or not at all."""
    await _make_parents(sftp, posixpath.dirname(there))
    for entry in entries:
        place = posixpath.join(there, entry.place) if entry.place else there
        if entry.folder:
            await _make_folder(sftp, place, entry.mode | 0o700)
        else:
            await _put_file(sftp, entry, place, mode=entry.mode | (0o755 if executable else 0))


async def get_tree(sftp: asyncssh.SFTPClient, there: str, here: Path) -> None:
    """Read a file or a folder back; symbolic links, sockets, pipes and devices are left out."""
    seen = await _step(sftp.lstat(there))
    if not (_is(seen, stat.S_IFREG) or _is(seen, stat.S_IFDIR)):
        msg = "no file or folder"
        raise asyncssh.SFTPFailure(msg)
    here.parent.mkdir(parents=True, exist_ok=True)
    await _get(sftp, there, here, seen)


async def _get(sftp: asyncssh.SFTPClient, there: str, here: Path, seen: asyncssh.SFTPAttrs) -> None:
    mode = (seen.permissions or 0) & 0o777
    if _is(seen, stat.S_IFREG):
        await _get_file(sftp, there, here, size=seen.size or 0, mode=mode)
    elif _is(seen, stat.S_IFDIR):
        here.mkdir(exist_ok=True)
        here.chmod(mode | 0o700)
        for found in await _step(sftp.readdir(there)):
            name = str(found.filename)
            if name not in (".", ".."):
                await _get(sftp, posixpath.join(there, name), here / _own_name(name), found.attrs)


async def _get_file(sftp: asyncssh.SFTPClient, there: str, here: Path, *, size: int, mode: int) -> None:
    part = here.with_name(f".{here.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        await asyncio.wait_for(sftp.get(there, part), _limit_s(size))
        part.chmod(mode)
        part.replace(here)
    finally:
        part.unlink(missing_ok=True)


async def _put_file(sftp: asyncssh.SFTPClient, entry: Entry, there: str, *, mode: int) -> None:
    folder, name = posixpath.split(there)
    part = posixpath.join(folder, f".{name[:200]}.{secrets.token_hex(4)}.part")
    try:
        await asyncio.wait_for(sftp.put(entry.path, part, follow_symlinks=True), _limit_s(entry.bytes))
        await _step(sftp.chmod(part, mode))
        await _step(sftp.posix_rename(part, there))
    except BaseException:
        with contextlib.suppress(asyncssh.Error, OSError):
            await asyncio.wait_for(sftp.remove(part), 5.0)
        raise


async def _make_parents(sftp: asyncssh.SFTPClient, folder: str) -> None:
    """Make the missing ones; almost always none is, and one request tells."""
    if await _step(sftp.isdir(folder)):
        return
    await _make_parents(sftp, posixpath.dirname(folder))
    await _make_folder(sftp, folder, 0o755)


async def _make_folder(sftp: asyncssh.SFTPClient, place: str, mode: int) -> None:
    try:
        await _step(sftp.mkdir(place, asyncssh.SFTPAttrs(permissions=mode)))
    except asyncssh.SFTPFailure:  # version 3 of SFTP says no more than that when it is there already
        if not await _step(sftp.isdir(place)):
            raise
        await _step(sftp.chmod(place, mode))


def _own_name(name: str) -> str:
    """Return a name that stays in its folder; a hostile server could send another."""
    if "/" in name or "\0" in name or not name:
        msg = f"no file name: '{name}'"
        raise asyncssh.SFTPBadMessage(msg)
    return name


def _is(seen: asyncssh.SFTPAttrs, kind: int) -> bool:
    return stat.S_IFMT(seen.permissions or 0) == kind


def _limit_s(size: int) -> float:
    return STEP_S + size / SLOWEST_BYTES_PER_S


async def _step(request: Awaitable[T]) -> T:
    return await asyncio.wait_for(request, STEP_S)
