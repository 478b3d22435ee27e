"""What goes wrong in the pack, with its exit code."""

from __future__ import annotations

WRONG, MISSING = 3, 4
"""Exit codes as of assay itself: wrong input, something missing here."""


class PackError(Exception):
    """One clear line, and what to do.

    Args:
        message: What could not be done, with expected and actual.
        hint: What to type or to check; empty where there is nothing.
        code: The exit code.
    """

    def __init__(self, message: str, *, hint: str = "", code: int = WRONG) -> None:
        self.hint, self.code = hint, code
        super().__init__(message)
