"""Small answers of the probe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class JobState(StrEnum):
    """Where a job is: ``LOST`` was started, but its supervisor is gone and left no result."""

    RUNNING = "running"
    ENDED = "ended"
    LOST = "lost"
    ABSENT = "absent"


@dataclass(frozen=True)
class Status:
    """A job as it is now.

    Attributes:
        state: Where it is.
        pid: Process of its supervisor there; ``None`` where it is not running.
        sample: Last sample by column of ``samples.csv``; ``None`` where there is none yet.
    """

    state: JobState
    pid: int | None = None
    sample: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class Space:
    """Room on the file system of a path, in bytes."""

    free_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class Version:
    """The probe there.

    Attributes:
        version: Its version.
        protocol: The protocol that it speaks, (major, minor).
        watch: Groups of series that it knows; empty before protocol 1.1.
        counters: Event counters that it knows; empty before protocol 1.1.
    """

    version: str
    protocol: tuple[int, int]
    watch: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()


@dataclass(frozen=True)
class HashedFile:
    """A file whose content is known as long as it is the same one.

    Attributes:
        path: Absolute, there.
        identity: Its device, number, size and times, as the probe writes them.
        sha256: In hexadecimal digits.
    """

    path: str
    identity: str
    sha256: str


@dataclass(frozen=True)
class Place:
    """Where a program lies there."""

    path: str


@dataclass(frozen=True)
class Hashed:
    """A program and its libraries, by their content."""

    executable: HashedFile
    libraries: tuple[HashedFile, ...]
