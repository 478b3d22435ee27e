"""Files in or out of the page cache before a trial starts: what is asked for, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CacheState(StrEnum):
    """Where the content of files is when a job starts: ``COLD`` on storage alone, ``WARM`` in memory."""

    COLD = "cold"
    WARM = "warm"


@dataclass(frozen=True)
class CacheSpec:
    """The state that a scene asks for, on whatever arm.

    Attributes:
        state: Cold or warm.
        files: Files and folders, absolute or relative to the trial's folder; ``None`` means the inputs,
            the executable and its libraries.
        drop: Drop the caches of the whole machine first.
    """

    state: CacheState
    files: tuple[str, ...] | None = None
    drop: bool = False


@dataclass(frozen=True)
class CacheOrder:
    """What the probe is to do right before it lets a job go.

    Attributes:
        state: Cold or warm.
        paths: Files and folders there, absolute.
        drop_all: Drop the caches of the whole machine first.
    """

    state: CacheState
    paths: tuple[str, ...] = ()
    drop_all: bool = False


@dataclass(frozen=True)
class Residency:
    """How much of a set of files is in the page cache, by mincore(2).

    Attributes:
        files: Number of files.
        bytes: Their length together.
        resident_bytes: What of it is in memory.
    """

    files: int
    bytes: int
    resident_bytes: int


@dataclass(frozen=True)
class CacheCheck:
    """The state of a trial's files at its start.

    Attributes:
        state: What was asked for.
        drop: The caches of the whole machine were to be dropped first.
        machine: The files where the job ran, right before its release; ``None`` where it was not prepared.
        host: The image files of a guest on its host, right before the start; ``None`` outside a guest.
        held: Executable and libraries that stayed in memory because other programs have them mapped; they
            are not in ``machine``.
    """

    state: CacheState
    drop: bool
    machine: Residency | None
    host: Residency | None = None
    held: tuple[str, ...] = ()
