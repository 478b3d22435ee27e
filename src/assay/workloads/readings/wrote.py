"""What one copy of a program wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.workloads.readings.errors import ReadingError


@dataclass(frozen=True)
class Wrote:
    """What one copy wrote.

    Attributes:
        output: Its standard output.
        errors: Its standard error.
        files: Its files that are read, by the names of ``Workload.written``.
    """

    output: bytes
    errors: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def combined(self) -> bytes:
        """Its standard error, then its standard output, for readers of tools that say on it what they
        distrust.
        """
        return self.errors + b"\n" + self.output if self.errors else self.output

    def text(self, file: str | None, *, metric: str) -> bytes:
        """Return a file, or standard output.

        Raises:
            ReadingError: it was not brought.
        """
        if file is None:
            return self.output
        if file not in self.files:
            raise ReadingError(metric, place_of(file), "it is not there")
        return self.files[file]


def place_of(file: str | None) -> str:
    """Name a place for people."""
    return "standard output" if file is None else f"'{file}'"


def shown(words: str, letters: int = 80) -> str:
    """Return what a program wrote, or a pattern, for a message of one line."""
    return "".join(letter if letter.isprintable() else "␣" for letter in words[:letters])


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a text; what is no UTF-8 is replaced."""
    return [line.removesuffix("\r") for line in content.decode("utf-8", "replace").split("\n")]
