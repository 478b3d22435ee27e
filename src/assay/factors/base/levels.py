"""Levels of factors: what is written -> the one spelling under which a level is kept and compared."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from assay.model.units import format_bytes, parse_bytes, parse_seconds


class LevelError(ValueError):
    """A level is none of its factor; says what was expected and the nearest right word."""

    def __init__(self, expected: str, *, nearest: str | None = None) -> None:
        super().__init__(expected)
        self.expected, self.nearest = expected, nearest


class Levels(Protocol):
    """The levels that a factor can take."""

    def read(self, written: object) -> str:
        """Return a level in its one spelling.

        Args:
            written: As in a scene or on a command line: text, or a whole number of a YAML file.

        Raises:
            LevelError: it is none.
        """

    @property
    def choices(self) -> tuple[str, ...]:
        """Levels worth trying, in their spelling; all of them where they can be counted."""

    @property
    def words(self) -> str:
        """What can be written, for people."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""


@dataclass(frozen=True)
class Words:
    """One of a few words."""

    choices: tuple[str, ...]

    def read(self, written: object) -> str:
        """Return the word; see ``Levels``."""
        if not isinstance(written, str) or written not in self.choices:
            near = difflib.get_close_matches(str(written), self.choices, n=1, cutoff=0.5)
            msg = f"one of {self.words}"
            raise LevelError(msg, nearest=near[0] if near else None)
        return written

    @property
    def words(self) -> str:
        """What can be written, for people."""
        return ", ".join(self.choices)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": "string", "enum": list(self.choices)}


SWITCH = Words(("on", "off"))
"""Of an element that is there or not."""


@dataclass(frozen=True)
class Whole:
    """A whole number between two bounds, both included.

    Attributes:
        low: The least.
        high: The most.
        tried: Numbers worth trying.
        unit: What is counted in, ``ns``; ``None`` for a plain count, and where each number means something
            else.
    """

    low: int
    high: int
    tried: tuple[int, ...]
    unit: str | None = None

    def read(self, written: object) -> str:
        """Return the number's digits; see ``Levels``."""
        text = str(written).strip()
        fits = not isinstance(written, bool) and re.fullmatch("-?[0-9]{1,18}", text)
        if not fits or not self.low <= int(text) <= self.high:
            msg = f"a {self.words}"
            raise LevelError(msg)
        return str(int(text))

    @property
    def choices(self) -> tuple[str, ...]:
        """Levels worth trying."""
        return tuple(map(str, self.tried))

    @property
    def words(self) -> str:
        """What can be written, for people."""
        return f"whole number from {self.low} to {self.high}" + (f", in {self.unit}" if self.unit else "")

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Size:
    """A size with its unit between two bounds, both included; kept in the largest binary unit, ``64 MiB``.

    Attributes:
        low: The least, ``4 MiB``.
        high: The most.
        tried: Sizes worth trying.
        step: What a size must be a multiple of, bytes.
    """

    low: str
    high: str
    tried: tuple[str, ...]
    step: int = 1

    def read(self, written: object) -> str:
        """Return the size in its one spelling; see ``Levels``."""
        expected = f"a {self.words}, like '{self.tried[0]}'"
        try:
            count = parse_bytes(written) if isinstance(written, str) else None
        except (ValueError, OverflowError):
            count = None
        if count is None or not parse_bytes(self.low) <= count <= parse_bytes(self.high):
            raise LevelError(expected)
        if count % self.step:
            msg = f"{expected}, a multiple of {format_bytes(self.step)}"
            raise LevelError(msg)
        return spell_bytes(count)

    @property
    def choices(self) -> tuple[str, ...]:
        """Levels worth trying."""
        return tuple(self.read(size) for size in self.tried)

    @property
    def words(self) -> str:
        """What can be written, for people."""
        return f"size from {self.low} to {self.high}"

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB)\s*$"}


@dataclass(frozen=True)
class Time:
    """A time with its unit between two bounds, both included; kept in seconds, ``0.5 s``.

    Attributes:
        low: The least, ``0 s``.
        high: The most.
        tried: Times worth trying.
    """

    low: str
    high: str
    tried: tuple[str, ...]
    unit: str = "s"

    def read(self, written: object) -> str:
        """Return the time in its one spelling, in whole milliseconds; see ``Levels``."""
        expected = f"a {self.words}, like '{self.choices[-1]}'"
        try:
            count = parse_seconds(written) if isinstance(written, str) else None
        except (ValueError, OverflowError):
            count = None
        if count is None or not parse_seconds(self.low) <= count <= parse_seconds(self.high):
            raise LevelError(expected)
        whole = round(count * 1000)
        if abs(count * 1000 - whole) > 1e-6:
            msg = f"{expected}, a multiple of 1 ms"
            raise LevelError(msg)
        return spell_seconds(whole / 1000)

    @property
    def choices(self) -> tuple[str, ...]:
        """Levels worth trying."""
        return tuple(spell_seconds(parse_seconds(one)) for one in self.tried)

    @property
    def words(self) -> str:
        """What can be written, for people."""
        return f"time from {self.low} to {self.high}"

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|min|h|d)\s*$"}


@dataclass(frozen=True)
class Pattern:
    """A text of a certain form.

    Attributes:
        form: Regular expression that the whole text fits.
        words: What can be written, for people.
        choices: Levels worth trying.
    """

    form: str
    words: str
    choices: tuple[str, ...]

    def read(self, written: object) -> str:
        """Return the text without blanks around it; see ``Levels``."""
        text = "" if isinstance(written, bool) or not isinstance(written, str | int) else str(written).strip()
        if re.fullmatch(self.form, text) is None:
            msg = f"{self.words}, like '{self.choices[0]}'"
            raise LevelError(msg)
        return text

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": ["string", "integer"], "pattern": f"^(?:{self.form})$"}


def spell_bytes(count: int) -> str:
    """Return a size in the largest binary unit in which it is whole, ``64 MiB``, ``1536 MiB``."""
    for unit, size in (("TiB", 1024**4), ("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if count >= size and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} B"


def spell_seconds(seconds: float) -> str:
    """Return a time in seconds without an exponent, ``0.5 s``, ``300 s``."""
    return f"{Decimal(repr(seconds)).normalize():f} s"
