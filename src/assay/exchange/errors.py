"""What is wrong in data that were measured elsewhere, and where."""

from __future__ import annotations

from assay.model.errors import AssayError


class TableError(AssayError, ValueError):
    """A table of measurements that cannot be used; in Python also a ``ValueError``.

    Args:
        place: Where it is wrong: ``runs.csv:7``, ``row 3``, or the table as a whole.
        expected: What should stand there.
        actual: What stands there.
        hint: What to write or to check; ``None`` where the sentence says it all.
    """

    def __init__(self, *, place: str, expected: str, actual: str, hint: str | None = None) -> None:
        self.place, self.expected, self.actual = place, expected, actual
        super().__init__(f"cannot read {place}: expected {expected}, got {actual}", hint=hint)
