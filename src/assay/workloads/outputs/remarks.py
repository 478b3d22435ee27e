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
_WARNING = re.compile(r"\[?(?:warning|warn|note|notice|info|hint)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^\W\d_][\w.+/-]*:?(?: [^\W\d][^\d\s%=|/]*){2,}")
"""Three words or more, one blank between them and no digit: columns have several blanks, and figures have digits."""
_FAILED = re.compile(
    r"error|fail|cannot|can't|could not|couldn't|unable|unknown|invalid|refused|denied|wrong|abort|terminat|killed"
    r"|signal|fault|time[d]? ?out|are you sure|no space|no such|not found|not supported|disk full|core dumped",
    re.IGNORECASE,
)
"""What a tool says when it could not do its work: never passed over."""


def read_past(read: Callable[[bytes], T], output: bytes) -> tuple[T, tuple[str, ...]]:
    """Return what a reader takes from an output, and the lines that it does not know.

    A line that the reader refuses is passed over where it is a remark: it begins with a word of warning or is a
    sentence without a digit, and names no failure. Any other may be a damaged figure, and so may a last line without
    its end.

    Args:
        read: The reader.
        output: As printed.

    Raises:
        OutputError: as the reader's, of a line that is no remark, or of the last of too many.
    """
    lines, unknown = output.split(b"\n"), list[str]()
    while True:
        try:
            return read(b"\n".join(lines)), tuple(unknown)
        except OutputError as error:
            at = (error.line or 0) - 1
            if not 0 <= at < len(lines) - 1 or len(unknown) == MOST or not _is_remark(lines[at]):
                raise
            unknown.append(f"line {at + 1}: '{_shown(lines[at])}'")
            lines[at] = b""
            if not any(map(bytes.strip, lines)):
                raise


def is_warning(text: str) -> bool:
    """Tell whether a line begins with a word of warning and names no failure."""
    return _WARNING.match(text) is not None and _FAILED.search(text) is None


def _is_remark(line: bytes) -> bool:
    text = line.decode("utf-8", "replace").rstrip()
    return is_warning(text) or (_SENTENCE.fullmatch(text) is not None and _FAILED.search(text) is None)


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()[:SHOWN]
    return "".join(letter if letter.isprintable() else "␣" for letter in text)
