"""Words of own metrics and of success in a scene file: what is written -> what is meant, or what was
expected.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from assay.scenes.forms import kinds
from assay.scenes.forms.quantities import levels
from assay.scenes.values.expected import ExpectedError, nearest, text
from assay.workloads import READERS
from assay.workloads.readings import parse_pointer

METRIC = r"^[a-z][a-z0-9_]{0,62}$"
FIGURE = r"^[a-z0-9][a-z0-9_.:-]{0,62}$"
UNIT = r"^[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,22}[^\s\x00-\x1f\x7f])?$"
"""At most 24 letters: it stands in a column of every table."""
_UNIT = re.compile(UNIT)


def metric(value: object) -> str:
    """Return the name of a metric."""
    return _matching(value, METRIC, "a metric's name of lower-case letters, digits and '_', a letter first")


def figure(value: object) -> str:
    """Return the name of a figure that a tool's reader knows."""
    return _matching(value, FIGURE, "the metric of a figure, as 'assay workload parse' shows it")


def unit(value: object) -> str:
    """Return a unit, which is any short text."""
    expected = "a unit of at most 24 letters, like 'events/s', or '1' for a plain number"
    words = text(value, expected)
    if _UNIT.match(words) is None:
        raise ExpectedError(expected)
    return words


def tool(value: object) -> str:
    """Return the name of a tool whose output can be read."""
    if isinstance(value, str) and READERS.get(value) is not None:
        return value
    known = sorted(READERS)
    expected = f"a tool whose output can be read ({', '.join(known)})"
    raise ExpectedError(expected, nearest=nearest(text(value, expected), known))


def line_pattern(value: object) -> str:
    """Return a regular expression that can match in one line."""
    words = kinds.pattern(value)
    if "\n" in words:
        expected = "a regular expression of one line"
        raise ExpectedError(expected)
    return words


def number_pattern(value: object) -> str:
    """Return a regular expression with one group, which is the number."""
    words = line_pattern(value)
    if (groups := re.compile(words).groups) != 1:
        expected = "a regular expression with one group, which is the number"
        hint = (
            r"put the number in brackets, like 'rate: ([0-9.]+)'; a group that only holds together is (?:…)"
        )
        expected = f"{expected} (it has {groups})"
        raise ExpectedError(expected, hint=hint)
    return words


def pointer(value: object) -> str:
    """Return a JSON Pointer."""
    expected = "a JSON Pointer, like '/results/0/rate'"
    words = text(value, expected)
    try:
        parse_pointer(words)
    except ValueError as error:
        expected = f"{expected}: {error}"
        raise ExpectedError(expected) from error
    return words


def written(value: object) -> str:
    """Return a file in the scratch folder: relative, and not above it."""
    expected = "a file in the scratch folder, relative to it"
    words = kinds.path(value)
    path = PurePosixPath(words)
    if path.is_absolute() or ".." in path.parts or not path.parts or words.endswith("/") or "\n" in words:
        raise ExpectedError(expected)
    return str(path)


exits = levels(0, 255)
"""Exit codes: one, or a list of different ones."""


def _matching(value: object, pattern: str, expected: str) -> str:
    if re.fullmatch(pattern, words := text(value, expected)) is None:
        raise ExpectedError(expected)
    return words
