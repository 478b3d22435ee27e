"""What was expected of a value, where it is something else."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ONE_LEVEL = "only factors of a treatment are swept: write one, and evaluate once for each"


class ExpectedError(ValueError):
    """A value is of the wrong kind; says what was expected, the nearest right word, and a hint."""

    def __init__(self, expected: str, *, nearest: str | None = None, hint: str | None = None) -> None:
        super().__init__(expected)
        self.expected, self.nearest, self.hint = expected, nearest, hint


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a wrong one was probably meant to be."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None


def text(value: object, expected: str) -> str:
    """Return a value that is a text and nothing that YAML took for a number, a truth value or nothing."""
    if isinstance(value, str):
        return value
    guessed = isinstance(value, bool | int | float)
    hint = "write it in quotes, YAML reads it as a number or a truth value" if guessed else None
    raise ExpectedError(expected, hint=hint)


def one_level(value: object, expected: str) -> None:
    """Refuse a list: no such word has several levels."""
    if isinstance(value, list):
        raise ExpectedError(expected, hint=ONE_LEVEL)
