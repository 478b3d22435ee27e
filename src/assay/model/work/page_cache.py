"""Files in or out of the page cache before a trial starts, or read into it meanwhile: what is asked for, and
what was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CacheState(StrEnum):
    """Where the content of files is when a job starts: ``COLD`` on storage alone, ``WARM`` in memory;
    ``READ_AHEAD`` on storage alone, and read from the start on by a process of the job's own.
    """

    COLD = "cold"
    WARM = "warm"
    READ_AHEAD = "read-ahead"

    @property
    def starts_cold(self) -> bool:
        """Nothing of the files is in memory at the start."""
        return self is not CacheState.WARM


@dataclass(frozen=True)
class CacheSpec:
    """The state that a scene asks for, on whatever arm.

    Attributes:
        state: Cold, warm or read ahead.
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
        state: Cold, warm or read ahead.
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
class ReadAhead:
    """What the process took that read a job's files ahead: part of the job's totals, told beside them.

    Attributes:
        cpu_s: Its CPU time.
        read_bytes: What it had from storage; ``None`` where the kernel does not tell.
        whole_s: From the job's start until all files were read; ``None`` where the job ended first.
    """

    cpu_s: float
    read_bytes: int | None
    whole_s: float | None


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
        ahead: What read the files ahead; ``None`` where nothing did, and in records before 1.11.
    """

    state: CacheState
    drop: bool
    machine: Residency | None
    host: Residency | None = None
    held: tuple[str, ...] = ()
    ahead: ReadAhead | None = None
