"""The events of the reference chain's files, from one file or from a folder of many small ones,
each checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from assay.exchange.chain.frame import (
    END,
    EVENT,
    HEAD,
    HEADER_BYTES,
    MOST_BYTES,
    SUM,
    ChainFileError,
    Hash,
    Header,
    fail,
    parse_header,
)


@dataclass(frozen=True)
class ChainFile:
    """One output of a step.

    Attributes:
        name: Of the step, as its file or folder is called.
        header: Of its first file.
        parts: Its files in their order.
    """

    name: str
    header: Header
    parts: tuple[Path, ...]


def open_chain(path: Path, *, hash64: Hash) -> ChainFile:
    """Look at an output of a step: a file ``NAME.chain``, or a folder with ``NNNNNNNN.part``.

    Raises:
        ChainFileError: It is not there, or no such file.
    """
    parts = tuple(sorted(path.glob("*.part"), key=_number)) if path.is_dir() else (path,)
    if not parts:
        raise ChainFileError(str(path), "no files *.part in this folder")
    header = _header(parts[0], hash64)
    if header.first != 0:
        raise ChainFileError(str(parts[0]), f"expected event 0 first, got {header.first}")
    return ChainFile(path.name.removesuffix(".chain"), header, parts)


def _number(part: Path) -> int:
    """Return the number that a part is called by: 100000000 follows 99999999, which text would not say."""
    if not (part.stem.isascii() and part.stem.isdecimal()):
        raise ChainFileError(str(part), f"expected a number before .part, got '{part.stem:.40}'")
    return int(part.stem)


def read_events(chain: ChainFile, *, hash64: Hash) -> Iterator[bytes]:
    """Yield the content of each event in their order.

    Raises:
        ChainFileError: A file is damaged or truncated, or events are missing; what was yielded before is
            good.
    """
    done = 0
    for path in chain.parts:
        header = _header(path, hash64)
        if header != replace(chain.header, first=done):
            fail(str(path), "its header does not continue that of the file before")
        with _open(path) as file:
            file.seek(HEADER_BYTES)
            for content in _records(file, str(path), done, hash64):
                yield content
                done += 1
    if done != chain.header.events:
        fail(
            str(chain.parts[-1]), f"{chain.header.events - done} of {chain.header.events} events are missing"
        )


def _records(file: BinaryIO, path: str, first: int, hash64: Hash) -> Iterator[bytes]:
    """Yield the events of one file, up to its trailer, which must be the end."""
    number, digest = first, 0
    while True:
        marker, count, content, checksum = _record(file, path, number, hash64)
        if marker == END:
            _check_end(file, path, reported=(count, content), actual=(number - first, digest))
            return
        if marker != EVENT or count != number:
            fail(path, f"damaged after event {number}")
        yield content
        number, digest = number + 1, hash64(SUM.pack(checksum), digest)


def _record(file: BinaryIO, path: str, done: int, hash64: Hash) -> tuple[bytes, int, bytes, int]:
    marker, length, number = HEAD.unpack(_take(file, HEAD.size, path, done))
    if length > MOST_BYTES:
        fail(path, f"damaged after event {done}: a record of {length} bytes")
    content = _take(file, length, path, done)
    (reported,) = SUM.unpack(_take(file, SUM.size, path, done))
    if reported != hash64(content, number):
        fail(path, f"damaged: the checksum of event {number} does not match")
    return marker, number, content, reported


def _check_end(file: BinaryIO, path: str, *, reported: tuple[int, bytes], actual: tuple[int, int]) -> None:
    if reported != (actual[0], SUM.pack(actual[1])):
        fail(path, f"expected {reported[0]} events with the digest at its end, got {actual[0]}")
    if file.read(1):
        fail(path, "something follows its end")


def _take(file: BinaryIO, count: int, path: str, done: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        fail(path, f"truncated after {done} events")
    return data


def _header(path: Path, hash64: Hash) -> Header:
    with _open(path) as file:
        return parse_header(file.read(HEADER_BYTES), path=str(path), hash64=hash64)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise ChainFileError(str(path), (error.strerror or "no reason given").lower()) from error
