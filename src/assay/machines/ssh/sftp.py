"""Files and folders over SFTP: to a machine and back."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import posixpath
import stat
from collections.abc import AsyncGenerator, Awaitable, Iterable
from pathlib import Path
from typing import TypeVar, cast

import asyncssh

from assay.machines.part import is_abandoned, part_name
from assay.machines.room import FULL, full_disk, no_room, require_room
from assay.machines.tree import Entry

T = TypeVar("T")

LEAST_BYTES = 1 << 20
"""What a disk with less than this free does not take is taken for refused by its want of room."""
STEP_S = 60.0
"""One request of a few packets has this long; a guest under emulation answers within one."""
MOST_DEPTH, MOST_ENTRIES = 32, 100_000
"""Of a folder that is read: what jobs leave is flat, and a server could go on for ever."""
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
    sftp: asyncssh.SFTPClient, entries: Iterable[Entry], there: str, *, executable: bool, machine: str
) -> None:
    """Write a file or a folder; each file is there whole or not at all.

    Raises:
        NoRoomError: The disk there is too full; servers of version 3 of SFTP only say that something failed.
    """
    await _make_parents(sftp, posixpath.dirname(there))
    if executable:
        await _remove_abandoned(sftp, there)
    for entry in entries:
        place = posixpath.join(there, entry.place) if entry.place else there
        try:
            if entry.folder:
                await _make_folder(sftp, place, entry.mode | 0o700)
            else:
                await _put_file(sftp, entry, place, mode=entry.mode | (0o755 if executable else 0))
        except asyncssh.SFTPError as error:
            await _refuse_full(sftp, place, entry, error, machine=machine)
            raise


async def _refuse_full(
    sftp: asyncssh.SFTPClient, place: str, entry: Entry, error: asyncssh.SFTPError, *, machine: str
) -> None:
    """Raise that a disk there is full, where it says so itself or has less than was to come."""
    reported_full = isinstance(error, (asyncssh.SFTPNoSpaceOnFilesystem, asyncssh.SFTPQuotaExceeded))
    folder, least = posixpath.dirname(place), entry.bytes + LEAST_BYTES
    free = await free_there(sftp, folder)
    if reported_full or (free is not None and free < least):
        doing, disk = f"put {entry.path} as {place} on {machine}", f"the disk of {folder} there"
        raise no_room(doing, disk, free=free or 0, needed=least) from error


async def free_there(sftp: asyncssh.SFTPClient, folder: str) -> int | None:
    """Return what is free on a disk there; ``None`` where the server does not tell."""
    try:
        seen = await _step(sftp.statvfs(folder))
    except (asyncssh.SFTPError, TimeoutError):
        return None
    return seen.bavail * seen.frsize


async def get_tree(sftp: asyncssh.SFTPClient, there: str, here: Path) -> None:
    """Read a file or a folder back; symbolic links, sockets, pipes and devices are left out.

    Raises:
        NoRoomError: The disk here has too little room.
        SFTPBadMessage: It is deeper than ``MOST_DEPTH``, or holds more than ``MOST_ENTRIES``.
    """
    seen = await _step(sftp.lstat(there))
    if not (_is(seen, stat.S_IFREG) or _is(seen, stat.S_IFDIR)):
        msg = "no file or folder"
        raise asyncssh.SFTPFailure(msg)
    here.parent.mkdir(parents=True, exist_ok=True)
    await _Getting(sftp).get(there, here, seen, depth=0)


class _Getting:
    """A folder on its way: what was seen of it so far is counted."""

    def __init__(self, sftp: asyncssh.SFTPClient) -> None:
        self._sftp, self._entries = sftp, 0

    async def get(self, there: str, here: Path, seen: asyncssh.SFTPAttrs, *, depth: int) -> None:
        mode = (seen.permissions or 0) & 0o777
        if _is(seen, stat.S_IFREG):
            await _get_file(self._sftp, there, here, seen, mode=mode)
        elif _is(seen, stat.S_IFDIR):
            here.mkdir(exist_ok=True)
            here.chmod(mode | 0o700)
            for name, attrs in await self.names(there, depth):
                await self.get(posixpath.join(there, name), here / name, attrs, depth=depth + 1)

    async def names(self, there: str, depth: int) -> list[tuple[str, asyncssh.SFTPAttrs]]:
        """Return what a folder holds, read no further than to the limit."""
        if depth >= MOST_DEPTH:
            msg = f"folders deeper than {MOST_DEPTH}"
            raise asyncssh.SFTPBadMessage(msg)
        held: list[tuple[str, asyncssh.SFTPAttrs]] = []
        entries = cast("AsyncGenerator[asyncssh.SFTPName, None]", self._sftp.scandir(there))
        async with contextlib.aclosing(entries) as listing:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    entry = await _step(anext(listing))
                    self._count()
                    if (name := str(entry.filename)) not in (".", ".."):
                        held.append((_own_name(name), entry.attrs))
        return held

    def _count(self) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            msg = f"more than {MOST_ENTRIES} files and folders"
            raise asyncssh.SFTPBadMessage(msg)


async def _get_file(
    sftp: asyncssh.SFTPClient, there: str, here: Path, seen: asyncssh.SFTPAttrs, *, mode: int
) -> None:
    """Read a file back, unless a copy that was cut off has brought it already: of its size and time."""
    size = seen.size or 0
    if _is_here(here, seen):
        return
    require_room(here, size, doing=f"copy {there} to {here}")
    part = here.with_name(part_name(here.name))
    try:
        # a link that takes the file's place meanwhile is followed there, and never made here
        await asyncio.wait_for(sftp.get(there, part, follow_symlinks=True), _limit_s(size))
        if not stat.S_ISREG(part.lstat().st_mode):
            msg = f"{there} is no regular file"
            raise asyncssh.SFTPBadMessage(msg)
        part.chmod(mode)
        if seen.mtime is not None:
            os.utime(part, (seen.mtime, seen.mtime))
        part.replace(here)
    except OSError as error:
        if error.errno in FULL:
            doing = f"copy {there} to {here}"
            raise full_disk(doing, here, error) from error
        raise
    finally:
        part.unlink(missing_ok=True)


def _is_here(here: Path, seen: asyncssh.SFTPAttrs) -> bool:
    try:
        ours = here.lstat()
    except OSError:
        return False
    return stat.S_ISREG(ours.st_mode) and (ours.st_size, int(ours.st_mtime)) == (seen.size, seen.mtime)


async def _put_file(sftp: asyncssh.SFTPClient, entry: Entry, there: str, *, mode: int) -> None:
    folder, name = posixpath.split(there)
    part = posixpath.join(folder, part_name(name))
    try:
        await asyncio.wait_for(sftp.put(entry.path, part, follow_symlinks=True), _limit_s(entry.bytes))
        await _step(sftp.chmod(part, mode))
        await _step(sftp.posix_rename(part, there))
    except BaseException:
        with contextlib.suppress(asyncssh.Error, OSError):
            await asyncio.wait_for(sftp.remove(part), 5.0)
        raise


async def _remove_abandoned(sftp: asyncssh.SFTPClient, there: str) -> None:
    """Remove what uploads from here that were cut off left of a program; a trial's folder goes with them."""
    folder, name = posixpath.split(there)
    for candidate, _ in await _Getting(sftp).names(folder, depth=0):
        if is_abandoned(candidate, name):
            await _step(sftp.remove(posixpath.join(folder, candidate)))


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
