"""What accounting tells of one job, and what of it cannot be used."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

EventsOf = float | str | None
"""Events of a job: so many in each, or the name of what tells them; ``None`` is "not known"."""
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")


@dataclass(frozen=True, slots=True)
class Job:
    """A job that ended as it should; ``None`` is "not told".

    Attributes:
        name: Its name; of HTCondor that of its batch, else of its program.
        node: The node that it ran on, as its accounting calls it.
        cores: Cores that it held.
        wall_s: Wall time, above 0.
        cpu_s: CPU time of all its processes, above 0.
        events: Events that it worked on, above 0.
        start_s: When it started, seconds since 1970 by its accounting's clock.
        init_s: Wall time until its initialization was over.
        init_bytes: What it had read from its disk then.
        init_iowait_s: Processor seconds that its node had spent in I/O wait by then, since it was watched.
        from_prmon: It is told of by prmon, not by a batch system.
        number: What its batch system calls it: ``4711`` of Slurm, ``4711.0@submit.example.org`` of HTCondor.
    """

    name: str
    node: str
    cores: int | None
    wall_s: float
    cpu_s: float | None
    events: float | None
    start_s: float | None
    init_s: float | None = None
    init_bytes: float | None = None
    init_iowait_s: float | None = None
    from_prmon: bool = False
    number: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A job that is in no figure; ``why`` is one of a few words: ``failed``, ``cancelled``, ``timed out``."""

    why: str
    number: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line or an object that cannot be used.

    Attributes:
        place: ``sacct.txt:7``.
        expected: What should stand there.
        actual: What stands there.
    """

    place: str
    expected: str
    actual: str


Told = Job | LeftOut | Damaged


class DamageError(ValueError):
    """A cell or a value that cannot be used, within its line.

    Args:
        expected: What should stand there.
        actual: What stands there.
    """

    def __init__(self, *, expected: str, actual: object) -> None:
        self.expected, self.actual = expected, f"'{actual!s:.40}'"
        super().__init__(f"expected {expected}, got {self.actual}")


def number(text: str, what: str) -> float:
    """Return a number of 0 or more, written in digits.

    Raises:
        DamageError: It is none.
    """
    if not _NUMBER.fullmatch(text):
        raise DamageError(expected=what, actual=text)
    return float(text)


def above_zero(value: float | None) -> float | None:
    """Return a quantity that is there; accounting writes 0 where it was not told."""
    return value if value is not None and math.isfinite(value) and value > 0 else None
