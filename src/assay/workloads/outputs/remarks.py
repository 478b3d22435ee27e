"""Lines that a tool's reader does not know and that hold no figure: warnings, and sentences for people."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from assay.workloads.errors import OutputError

T = TypeVar("T")
MOST = 8
"""Lines that are passed over: an output with more of them is another thing, and each is a reading."""
SHOWN = 80
"""Letters of a line in a doubt."""
_FAR = 4096
"""Bytes of a line in which a failure is looked for."""
_WARNING = re.compile(r"\[?(?:warning|warn|note|notice|info|hint)\b", re.IGNORECASE)
_FOREIGN = re.compile(
    r"(?:warning|warn|note|notice|info|hint):|\[(?:warning|warn|note|notice|info|hint)\]", re.IGNORECASE
)
"""A word of warning and a colon, or in brackets, at the start of a line: no tool begins a line of
figures so.
"""
_KNOWN = re.compile(
    r"note: both iodepth >= 1 and synchronous I/O engine|(?:WARNING|INFO):root:"
    r"|warning: (?:UDP block size|Ignoring nonsense TCP MSS|Block size) \d"
)
"""What fio, iperf3 and DB12 print so, which their readers know."""
_SENTENCE = re.compile(r"[^\W\d_][\w.+/-]*:?(?: [^\W\d][^\d\s%=|/]*){2,}")
"""Three words or more, one blank between them and no digit: columns have several blanks, and figures have
digits.
"""
_FAILED = re.compile(
    r"error|fail|cannot|can't|could "
    r"not|couldn't|unable|unknown|invalid|refused|denied|wrong|abort|terminat|killed"
    r"|signal|fault|time[d]? ?out|are you sure|no space|no such|not found|not supported|disk "
    r"full|core dumped",
    re.IGNORECASE,
)
"""What a tool says when it could not do its work: never passed over."""


def read_past(read: Callable[[bytes], T], output: bytes) -> tuple[T, tuple[str, ...]]:
    """Return what a reader takes from an output, and the lines that it does not know.

    Warnings of others (``warning: …``) are taken out first, whatever the reader would make of them. Another
    line that the reader refuses is passed over where it is a remark: it begins with a word of warning or is a
    sentence without a digit, and names no failure. Any other may be a damaged figure, and so may a last line
    without its end.

    Args:
        read: The reader.
        output: As printed.

    Raises:
        OutputError: as the reader's, of a line that is no remark, or of the last of too many.
    """
    lines = output.split(b"\n")
    foreign = [at for at, line in enumerate(lines[:-1]) if _is_foreign(line)]
    if 0 < len(foreign) <= MOST:
        try:
            return _read(read, lines, foreign)
        except OutputError:  # where it is wrong without them, the reader says of the output as it is
            foreign = []
    result, unknown = _read(read, lines, [])
    return result, unknown or tuple(reported(at, lines[at]) for at in foreign[:MOST])


def _read(read: Callable[[bytes], T], lines: list[bytes], foreign: list[int]) -> tuple[T, tuple[str, ...]]:
    """Return what is read without the foreign lines, and without those that are found to be remarks."""
    left, unknown = list(lines), list(foreign)
    for at in foreign:
        left[at] = b""
    while True:
        try:
            result = read(b"\n".join(left))
        except OutputError as error:
            at = (error.line or 0) - 1
            if not 0 <= at < len(left) - 1 or len(unknown) == MOST or not _is_remark(left[at]):
                raise
            unknown.append(at)
            left[at] = b""
            if not any(map(bytes.strip, left)):
                raise
        else:
            return result, tuple(reported(at, lines[at]) for at in sorted(unknown))


def reported(at: int, line: bytes) -> str:
    """Return what a doubt says of a line, by its place from 0."""
    return f"line {at + 1}: '{_shown(line)}'"


def is_warning(text: str) -> bool:
    """Tell whether a line begins with a word of warning and names no failure."""
    return _WARNING.match(text) is not None and _FAILED.search(text) is None


def _is_foreign(line: bytes) -> bool:
    text = line[:_FAR].decode("utf-8", "replace").rstrip()
    return _FOREIGN.match(text) is not None and _KNOWN.match(text) is None and _FAILED.search(text) is None


def _is_remark(line: bytes) -> bool:
    text = line.decode("utf-8", "replace").rstrip()
    return is_warning(text) or (_SENTENCE.fullmatch(text) is not None and _FAILED.search(text) is None)


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()[:SHOWN]
    return "".join(letter if letter.isprintable() else "␣" for letter in text)
