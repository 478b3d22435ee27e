"""What stands around the events in a file of the reference chain: header, records, trailer, checksums.

Source: ``chain/src/files/frame.rs`` and ``docs/chain.md``; numbers are little-endian, checksums are XXH64.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from assay.model.errors import AssayError, Exit

MAGIC, VERSION = b"ASCHAIN\n", 1
EVENT, END = b"EVNT", b"ENDS"
HEADER = struct.Struct("<8sIIQQIIQQ")
HEAD, SUM = struct.Struct("<4sIQ"), struct.Struct("<Q")
HEADER_BYTES = HEADER.size + SUM.size
MOST_BYTES = 1 << 30
"""No event is longer: a damaged length must not take all memory."""

Hash = Callable[[bytes, int], int]
"""XXH64 of bytes with a seed."""


class Kind(IntEnum):
    """What a file holds."""

    TABLES = 1
    PARTICLES = 2
    HITS = 3
    WAVEFORMS = 4
    PULSES = 5
    EVENTS = 6


class ChainFileError(AssayError):
    """A file is none of the chain's, damaged, incomplete, or of another version.

    Args:
        path: Which one.
        problem: What is wrong with it.
    """

    exit_code = Exit.INPUT

    def __init__(self, path: str, problem: str) -> None:
        self.path, self.problem = path, problem
        super().__init__(f"cannot read {path}: {problem}")


@dataclass(frozen=True)
class Header:
    """The first bytes of a file.

    Attributes:
        kind: What it holds.
        seed: Of all random numbers.
        detector: Digest of the detector that the events were made for.
        pmts: Its photomultipliers.
        samples: Samples of 1 ns in a waveform.
        first: Number of the first event in this file.
        events: Events of the whole output, in all its files.
    """

    kind: Kind
    seed: int
    detector: int
    pmts: int
    samples: int
    first: int
    events: int


def parse_header(data: bytes, *, path: str, hash64: Hash) -> Header:
    """Return the header of a file.

    Args:
        data: Its first ``HEADER_BYTES``, or all of it where it is shorter.
        path: For messages.
        hash64: XXH64.

    Raises:
        ChainFileError: It is none, of another version, or damaged.
    """
    if not data.startswith(MAGIC):
        raise ChainFileError(path, "not a file of the chain (no 'ASCHAIN' at its start)")
    if len(data) < HEADER_BYTES:
        raise ChainFileError(path, "truncated in its header")
    _, version, kind, *rest = HEADER.unpack_from(data)
    if version != VERSION:
        raise ChainFileError(path, f"expected format version {VERSION}, got {version}")
    (reported,) = SUM.unpack_from(data, HEADER.size)
    if reported != hash64(data[: HEADER.size], 0):
        raise ChainFileError(path, "damaged in its header")
    if kind not in set(Kind):
        raise ChainFileError(path, f"unknown kind of file {kind}")
    return Header(Kind(kind), *rest)


def fail(path: str, problem: str) -> NoReturn:
    """Raise that a file cannot be read."""
    raise ChainFileError(path, problem)
