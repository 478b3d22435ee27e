"""What the probe needs of a machine's door; ``machines`` makes doors that keep these treaties."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Channel(Protocol):
    """A running program that is talked with line by line.

    Lines arrive whole and in order, or not at all. A channel belongs to one thread. What ends it (the
    program, the machine, the network) is told by the next call as an ``AssayError`` whose exit code is
    ``Exit.UNREACHABLE``; nothing is retried or opened again. An end of the channel ends the program's
    standard input, nothing else: what the program has detached goes on.
    """

    def send(self, line: bytes) -> None:
        """Send one line without its newline; it may be lost without a word if the machine is."""

    def receive(self, timeout_s: float) -> bytes:
        """Return the next line without its newline; raise if none comes in time, which keeps the channel
        open.
        """

    def hears(self, timeout_s: float) -> bool:
        """Tell as soon as the next ``receive`` needs not wait, for a line or for the end, or
        after that time.
        """

    def close(self) -> None:
        """End the program's input and wait for its end, some seconds at most; never raises, may
        be repeated.
        """


class Door(Protocol):
    """A machine as far as the probe needs it.

    Paths there are absolute, or relative to ``folder``; data never pass through a shell unquoted. Each
    call ends in bounded time. Errors are ``AssayError``: exit code ``Exit.UNREACHABLE`` where the machine
    is lost or silent (the door is then useless), ``Exit.MISSING`` where it lacks something. Nothing is
    retried. Whoever opened the door closes it.
    """

    @property
    def name(self) -> str:
        """Name of the machine, for messages and records."""

    @property
    def folder(self) -> str:
        """Our folder there: absolute, the same at each visit; from the first use of a file or program in it
        it exists, and is writable by us alone.
        """

    @property
    def batch_job(self) -> str | None:
        """The batch system and the id of the job that holds the machine; ``None`` where none does."""

    def size(self, there: str) -> int | None:
        """Return the bytes of a regular file, or ``None`` if there is none."""

    def digest(self, there: str) -> str | None:
        """Return the SHA-256 in hex of a regular file that we own and nobody else can write to,
        or ``None``.
        """

    def put(self, here: Path, there: str, *, executable: bool = False) -> None:
        """Copy a file or folder; parents are made, links followed, permission bits kept.

        A file appears whole (under a temporary name first) or not at all and replaces an older one; a
        folder is filled file by file and is not emptied before. ``NoRoomError`` where the disk that it comes
        to has too little room, or takes no more.
        """

    def get(self, there: str, here: Path) -> None:
        """Copy a file or folder back under the same rules, but leave symbolic links out.

        A folder that goes on for ever, downwards or in its number of entries, is left with an error.
        """

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        """Run a command to its end and return its standard output; raise on any exit code but 0.

        One that does not end in time, or prints without end, raises; on another machine it may go on.
        """

    def open(self, argv: Sequence[str]) -> Channel:
        """Start a program and talk with it; a program that cannot be executed may be told by the channel."""

    def open_own(self, there: str, sha256: str, words: Sequence[str]) -> Channel | None:
        """Start a program that lies in our folder and talk with it, if it is seen to be this very one.

        Args:
            there: Its path.
            sha256: Digest of its content in hex.
            words: Its arguments.

        Returns:
            ``None`` where it does not lie there, is another, or cannot be looked at: ``digest`` and ``open``
            tell more.
        """

    def close(self) -> None:
        """Close all that was opened; never raises, may be repeated."""
