"""What speaks against trusting a figure, kept with it and shown with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, Union

Value: TypeAlias = Union[str, int, float, bool, "Raised", tuple["Value", ...], None]
"""What a sentence is made of; of what has parts, such as a clue that is one of several, a tuple."""


@dataclass(frozen=True)
class Raised:
    """A reason to doubt as it is found: not worded yet, which ``report.doubts`` does.

    Attributes:
        code: Stable word for programs, ``clock-rate``, ``programs-differ``, ``no-cgroup``.
        fields: What the sentence is made of, by name, in the order of the names.
        case: Which of several sentences the code has; ``None`` where there is one.
    """

    code: str
    fields: tuple[tuple[str, Value], ...] = ()
    case: str | None = None

    def __getitem__(self, name: str) -> Value:
        """Return the field of a name."""
        return dict(self.fields)[name]

    @property
    def wording(self) -> str:
        """Name of its sentence: ``throttled/heat``, or the code alone."""
        return self.code if self.case is None else f"{self.code}/{self.case}"


def raised(code: str, *, case: str | None = None, **fields: Value) -> Raised:
    """Return a doubt with its fields by their names."""
    return Raised(code, tuple(sorted(fields.items())), case)


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt a trial or a result, in words; it never deletes a sample.

    Attributes:
        code: Stable word for programs, ``clock-rate``, ``programs-differ``, ``no-cgroup``.
        sentence: One full sentence for people, with the measured figures in it.
        next: What to do or to look at next, one sentence; ``None`` where nothing is to be done.
    """

    code: str
    sentence: str
    next: str | None = None


class Severity(StrEnum):
    """What a doubt does to the figure that it is about, the gravest first."""

    INVALIDATES = "invalidates"
    SHIFTS = "shifts"
    WIDENS = "widens"
    INFORMS = "informs"

    def rank(self) -> int:
        """Return its place in the order in which doubts are told, from 0."""
        return list(Severity).index(self)
