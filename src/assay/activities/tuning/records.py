"""Records of known content that a guest appends to a file, and how many of them the file still holds.

Record N takes the bytes from N times ``RECORD_BYTES`` on, so that its place is known, too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

RECORD_BYTES = 4096
"""One page: what file systems write at least."""
_DIGITS = 12


@dataclass(frozen=True)
class Found:
    """What is left of the acknowledged bytes of a file.

    Attributes:
        intact_bytes: Bytes of whole records with the right content at their place.
        lost_bytes: All others that were acknowledged.
        damaged_bytes: Those of the lost in whose place there is something else; the others lie beyond the
            file's end.
    """

    intact_bytes: int
    lost_bytes: int
    damaged_bytes: int


def make_record(token: str, number: int) -> bytes:
    """Return a record: one line of text that tells its file, its number and the checksum of the rest.

    Args:
        token: Of its file: a word that no other file has, at most 64 characters.
        number: From 0.
    """
    head = f"{token} {number:0{_DIGITS}d}"
    rest = RECORD_BYTES - len(head) - 2 - hashlib.sha256().digest_size * 2 - 1
    content = hashlib.shake_256(head.encode()).hexdigest((rest + 1) // 2)[:rest]
    return f"{head} {_checksum(head, content)} {content}\n".encode()


def read_record(piece: bytes) -> tuple[str, int] | None:
    """Return the token and the number of a record; ``None`` where it is damaged or cut off."""
    words = piece.decode("ascii", errors="replace").split(" ")
    if len(piece) != RECORD_BYTES or len(words) != 4 or not words[3].endswith("\n"):
        return None
    token, number, checksum, content = words
    if checksum != _checksum(f"{token} {number}", content[:-1]) or not number.isdecimal():
        return None
    return token, int(number)


def find_records(content: bytes, token: str, *, acknowledged_bytes: int) -> Found:
    """Return what a file holds of what was acknowledged.

    Args:
        content: The file's.
        token: Of its records.
        acknowledged_bytes: Length of the file whose bytes were acknowledged, a multiple of ``RECORD_BYTES``.
    """
    intact = damaged = 0
    for at in range(0, acknowledged_bytes, RECORD_BYTES):
        piece = content[at : at + RECORD_BYTES]
        if read_record(piece) == (token, at // RECORD_BYTES):
            intact += RECORD_BYTES
        else:
            damaged += len(piece)
    return Found(intact, acknowledged_bytes - intact, damaged)


def _checksum(head: str, content: str) -> str:
    return hashlib.sha256(f"{head} {content}".encode()).hexdigest()
