"""What goes wrong in a pack, with its exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable

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


def ended(pack: str, act: Callable[[], None]) -> int:
    """Do what a command asks for and return the exit code; what goes wrong is one line on standard error, and
    a hint.

    Args:
        pack: Its name.
        act: Prints the command's one JSON object.
    """
    try:
        act()
    except PackError as error:
        hint = f"\n\nhint: {error.hint}" if error.hint else ""
        sys.stderr.write(f"error: {error}{hint}\n")
        return error.code
    except ModuleNotFoundError as error:
        sys.stderr.write(f"error: cannot run the pack {pack}: python3 has no module {error.name}\n\n")
        sys.stderr.write(f"hint: assay workload pack {pack}\n")
        return MISSING
    return 0
