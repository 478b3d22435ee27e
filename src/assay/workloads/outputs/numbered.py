"""Lines of a tool's output with their numbers, and the numbers in them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from assay.model.work.tool_output import NOT_COMPARABLE
from assay.workloads.errors import OutputError

_SLUG = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Line:
    """A line of an output.

    Attributes:
        tool: Whose output it is.
        number: From 1.
        text: Without what ends it.
    """

    tool: str
    number: int
    text: str

    def fail(self, problem: str) -> NoReturn:
        """Raise that the line does not say what it should."""
        raise OutputError(self.tool, self.number, problem)

    def unknown(self) -> NoReturn:
        """Raise that the line is not one that the tool is known to print."""
        self.fail(f"expected a line of {self.tool}, got '{self.text.strip():.80}'")

    def value(self, word: str) -> float:
        """Return a word of the line as a finite number."""
        if (number := finite(word)) is None:
            self.fail(f"expected a number, got '{word:.40}' in '{self.text.strip():.80}'")
        return number


def numbered(output: bytes, *, tool: str) -> list[Line]:
    """Return the lines of an output; at least one with text.

    Raises:
        OutputError: nothing was printed.
    """
    text = output.decode("utf-8-sig", "replace")
    lines = [Line(tool, number, line) for number, line in enumerate(text.splitlines(), start=1)]
    if not text.strip():
        raise OutputError(tool, 1, f"expected the output of {tool}, got nothing")
    return lines


def refuse_cut(output: bytes, *, tool: str) -> None:
    """Refuse an output whose last line does not end: where nothing marks the end, it tells that a file is
    cut.

    Raises:
        OutputError: it does not.
    """
    if not output.endswith(b"\n"):
        last = len(output.decode("utf-8-sig", "replace").splitlines())
        raise OutputError(tool, last, "expected the end of the line, got that of the output: it is cut off")


def finite(word: str) -> float | None:
    """Return a plain decimal number, ``None`` for anything else (``nan`` and ``inf`` too)."""
    if _NUMBER.fullmatch(word) is None:
        return None
    number = float(word)
    return number if math.isfinite(number) else None


def slug(words: str) -> str:
    """Return the words of a tool as a metric's name: ``CPU Clock`` -> ``cpu_clock``."""
    return _SLUG.sub("_", words.lower()).strip("_")


def because(reason: str | None, labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels of a figure, with the reason why it cannot be compared where there is one."""
    return dict(labels) if reason is None else {**labels, NOT_COMPARABLE: reason}
