"""The door to this machine: plain copies and child processes, under the same treaty as a far one."""

from __future__ import annotations

import hashlib
import posixpath
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from assay.machines import child
from assay.machines.errors import CommandError, TimedOutError, TransferError, endless
from assay.machines.part import is_abandoned, part_name
from assay.machines.pipe import PipeChannel
from assay.machines.room import FULL, full_disk, require_room
from assay.machines.tree import Entry, walk
from assay.model.errors import MissingError, NoRoomError
from assay.model.files.own import is_own_file, require_own


class LocalDoor:
    """This machine; the treaty is ``probe.Door``'s.

    Attributes:
        name: Name of the machine, ``local``.
        folder: Our folder, absolute; made with mode 0700 if absent.
        batch_job: Of no batch system.

    Raises:
        MissingError: The folder cannot be made, or others could change it.
    """

    batch_job: str | None = None

    def __init__(self, name: str, folder: Path) -> None:
        require_own(folder)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            msg = f"cannot make {folder}: {error.strerror}"
            raise MissingError(msg, hint="set ASSAY_HOME to a folder that you may write") from error
        require_own(folder)  # it may have been made by another meanwhile
        self.name, self.folder = name, str(folder.absolute())
        self._channels: list[PipeChannel] = []

    def size(self, there: str) -> int | None:
        """Return the bytes of a file, or ``None`` if there is no such file."""
        path = self._path(there)
        return path.stat().st_size if path.is_file() else None

    def digest(self, there: str) -> str | None:
        """Return the SHA-256 of a file that nobody else can write to, or ``None`` if there is none."""
        path = self._path(there)
        if not is_own_file(path):
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def put(self, here: Path, there: str, *, executable: bool = False) -> None:
        """Copy a file (whole or not at all) or a folder.

        Raises:
            TransferError: A part cannot be read or written.
            NoRoomError: The disk that it comes to has too little room.
        """
        try:
            _copy(here, self._path(there), follow=True, executable=executable)
        except (OSError, shutil.Error) as error:
            raise _refused(here, there, error) from error

    def get(self, there: str, here: Path) -> None:
        """Copy a file or folder back; symbolic links are left out.

        Raises:
            TransferError: It is absent, or a part cannot be read or written.
            NoRoomError: The disk that it comes to has too little room.
        """
        try:
            _copy(self._path(there), here, follow=False)
        except (OSError, shutil.Error) as error:
            raise _refused(there, here, error) from error

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        """Run a command to its end and return its standard output.

        Raises:
            MissingError: No such program.
            CommandError: Another exit code than 0.
            TimedOutError: It did not end in time; it was killed.
            TooMuchError: It prints without end; it was killed.
        """
        try:
            done = child.run_child(argv, timeout_s=timeout_s)
        except child.EndlessError as error:
            raise endless(argv, self.name, child.MOST_BYTES) from error
        except subprocess.TimeoutExpired as error:
            msg = f"cannot run '{argv[0]}' on {self.name}: no end within {timeout_s:g} s"
            raise TimedOutError(msg, machine=self.name) from error
        except OSError as error:
            msg = f"cannot run '{argv[0]}' on {self.name}: {error.strerror}"
            raise MissingError(msg) from error
        if done.returncode:
            code = done.returncode if done.returncode > 0 else 128 - done.returncode
            raise CommandError(self.name, argv, exit_code=code, stderr=done.stderr.decode(errors="replace"))
        return done.stdout

    def open(self, argv: Sequence[str]) -> PipeChannel:
        """Start a program and talk with it line by line.

        Raises:
            MissingError: No such program, or it cannot be executed.
        """
        try:
            channel = PipeChannel(self.name, argv)
        except OSError as error:
            msg = f"cannot start '{argv[0]}' on {self.name}: {error.strerror}"
            raise MissingError(msg) from error
        self._channels.append(channel)
        return channel

    def open_own(self, there: str, sha256: str, words: Sequence[str]) -> PipeChannel | None:
        """Start a program of our folder if it is this very one; ``None`` where it is not."""
        return self.open([str(self._path(there)), *words]) if self.digest(there) == sha256 else None

    def close(self) -> None:
        """Close what was opened; closing again does nothing."""
        while self._channels:
            self._channels.pop().close()

    def _path(self, there: str) -> Path:
        return Path(posixpath.join(self.folder, there))


def _copy(source: Path, target: Path, *, follow: bool, executable: bool = False) -> None:
    entries = list(walk(source, follow=follow))
    if not entries:
        msg = "no file or folder"
        raise OSError(0, msg)
    target.parent.mkdir(parents=True, exist_ok=True)
    if executable:
        _remove_abandoned(target)
    for entry in entries:
        place = target / entry.place if entry.place else target
        if entry.folder:
            place.mkdir(exist_ok=True)
            place.chmod(entry.mode | 0o700)
        else:
            _copy_file(entry, place, entry.mode | (0o755 if executable else 0))


def _remove_abandoned(target: Path) -> None:
    """Remove what copies that were cut off left; a program's folder stays, that of a trial goes with them."""
    for path in target.parent.iterdir():
        if is_abandoned(path.name, target.name):
            path.unlink(missing_ok=True)


def _copy_file(entry: Entry, place: Path, mode: int) -> None:
    """Copy under a temporary name and rename, so that a file is there whole or not at all."""
    require_room(place, entry.bytes, doing=f"copy {entry.path} to {place} on this machine")
    part = place.with_name(part_name(place.name))
    try:
        shutil.copyfile(entry.path, part)
        part.chmod(mode)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _refused(source: Path | str, target: Path | str, error: OSError) -> TransferError | NoRoomError:
    if error.errno in FULL:
        return full_disk(f"copy {source} to {target} on this machine", Path(target), error)
    msg = f"cannot copy {source} to {target} on this machine: {error.strerror or error}"
    return TransferError(msg)
