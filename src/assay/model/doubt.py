"""What speaks against trusting a figure, kept with it and shown with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt a trial or a result; it never deletes a sample.

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
