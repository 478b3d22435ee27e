"""What became of a command on several machines: errors in words, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.cli.output import say

if TYPE_CHECKING:
    from assay.activities.side_by_side import Outcome
    from assay.model.errors import AssayError


def error_words(error: AssayError | None) -> dict[str, str | None] | None:
    """Return an error as JSON; ``None`` for none."""
    return None if error is None else {"message": error.message, "hint": error.hint}


def worst(found: Sequence[Outcome[Any]]) -> int:
    """Say why something could not be done on each machine; raises where there is one alone.

    Returns:
        The exit code, 0 where all was done.
    """
    if len(found) == 1 and found[0].error is not None:
        raise found[0].error
    for one in found:
        if one.error is not None:
            say(f"error: {one.error.message}")
    return max(0 if one.error is None else int(one.error.exit_code) for one in found)
