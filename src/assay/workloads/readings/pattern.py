"""A figure by a regular expression: the number in a line."""

from __future__ import annotations

import re

from assay.model.work.reading import Of
from assay.workloads.readings.numbers import SEVERAL, one_of, parse_number
from assay.workloads.readings.wrote import lines_of, shown

_DIGITS = tuple("0123456789.")
_BEFORE = re.compile(r"(?:[0-9]+[.,]|[0-9.]*[0-9](?:[eE][+-]?)?|(?<![0-9A-Za-z])-)$")
_AFTER = re.compile(r"(?:,[0-9]{3}(?![0-9])|\.?[0-9])[0-9.,]*|[eE][+-]?[0-9]+")
"""What belongs to the number in a group, and stands before or behind it."""
_NEAR = 100
"""Letters before a group in which the number may begin: none has more digits."""
_PLACES = 5
"""Line numbers in a message."""


def by_pattern(content: bytes, pattern: str, of: Of | None) -> float:
    """Return the number that the pattern's group has in the lines that it matches somewhere.

    Args:
        content: The text.
        pattern: Regular expression with one group.
        of: Which of several lines; ``None`` refuses several.

    Raises:
        ValueError: no line, several, or no number in one of them; the message says what was expected.
    """
    lines = lines_of(content)
    matched = [(number, match) for number, match in matches(lines, pattern)]
    if not matched:
        words = next((line.strip() for line in reversed(lines) if line.strip()), "")
        got = f"got none; its last line is '{shown(words)}'" if words else "got an empty text"
        msg = f"expected a line that matches '{shown(pattern)}', {got}"
        raise ValueError(msg)
    if len(matched) > 1 and of is None:
        which = ", ".join(str(number) for number, _ in matched[:_PLACES])
        more = ", …" if len(matched) > _PLACES else ""
        msg = (
            f"expected one line that matches '{shown(pattern)}', got {len(matched)} (lines "
            f"{which}{more}); {SEVERAL}"
        )
        raise ValueError(msg)
    return one_of([_number(match, number) for number, match in matched], of or Of.FIRST)


def matches(lines: list[str], pattern: str) -> list[tuple[int, re.Match[str]]]:
    """Return the lines that a pattern matches somewhere, with their numbers from 1."""
    wanted = re.compile(pattern)
    searches = ((number, wanted.search(line)) for number, line in enumerate(lines, start=1))
    return [(number, match) for number, match in searches if match is not None]


def _whole(match: re.Match[str]) -> str | None:
    """Return the group, where it is not a piece of a longer number that the pattern says nothing of.

    Raises:
        ValueError: it is: ``1.2`` of ``1.2e+06``, ``234`` of ``1,234``.
    """
    text = match[1]
    if text is None:
        return None
    near = match.string[max(0, match.start(1) - _NEAR) : match.start(1)]
    before = _BEFORE.search(near) if match.start(1) == match.start() else None
    after = _AFTER.match(match.string[match.end(1) :]) if match.end(1) == match.end() else None
    if (before and text[:1] in _DIGITS) or (after and text[-1:] in _DIGITS):
        whole = f"{before[0] if before else ''}{text}{after[0] if after else ''}"
        msg = f"expected a group that holds a whole number, got '{shown(text, 40)}' of '{shown(whole, 40)}'"
        raise ValueError(msg)
    return text


def _number(match: re.Match[str], line: int) -> float:
    try:
        return parse_number(_whole(match) or "")
    except ValueError as error:
        msg = f"line {line}: {error}"
        raise ValueError(msg) from error
