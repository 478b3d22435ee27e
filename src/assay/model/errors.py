"""The root of all expected errors, and the documented exit codes of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of ``assay``; the table in ``docs/exit-codes.md`` is generated from these words."""

    DONE = 0
    """Everything that was asked was done; for an evaluation: every metric was measured."""
    BUG = 1
    """An unexpected error of assay itself."""
    USAGE = 2
    """The command line could not be understood."""
    INPUT = 3
    """A scene, a file or a name that was given is wrong."""
    MISSING = 4
    """This or another machine lacks something: a tool, a permission, free space."""
    PARTIAL = 5
    """Some metrics were measured, others were not."""
    NOTHING = 6
    """Nothing was measured."""
    UNREACHABLE = 7
    """A machine or a guest could not be reached, or its host key was refused."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C or by ``assay activity stop``; what was measured is kept."""


class AssayError(Exception):
    """An error of the user's world: one line that says what could not be done, and a hint.

    Args:
        message: ``cannot <do what>: <place, expected, actual>``, lower case, no full stop.
        hint: A command to type or the next thing to check; ``None`` where nothing useful is known.
    """

    exit_code: Exit = Exit.INPUT

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


MANY = 6
"""So many names that are numbered through are told as the first to the last."""
_NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,8})")


class UnknownNameError(AssayError):
    """A name that is not among the known ones; the message lists the nearest and the choices."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, hint: str | None = None) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        super().__init__(f"unknown {kind} '{name}'{choices(name, self.known)}", hint=hint)


class MissingError(AssayError):
    """A machine lacks something that the work needs."""

    exit_code = Exit.MISSING


class NoRoomError(MissingError):
    """A disk has too little room for what is under way; the message says which, how much is free
    and needed.
    """


def choices(name: str, known: Iterable[str]) -> str:
    """Return ``; nearest: 'x' (known: a, b)`` for a wrong name, or what of it makes sense."""
    import difflib  # a start of assay without a wrong name does not need it

    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    nearest = f"; nearest: '{near[0]}'" if near else ""
    return f"{nearest} (known: {', '.join(_in_short(names)) or 'none'})"


def _in_short(names: list[str]) -> list[str]:
    """Return names in their order, six or more that are numbered through as the first to the last."""
    numbers: dict[str, list[int]] = {}
    for name in names:
        if (found := _NUMBERED.fullmatch(name)) is not None:
            numbers.setdefault(found[1], []).append(int(found[2]))
    ends = {stem: (min(all_), max(all_)) for stem, all_ in numbers.items() if _are_through(all_)}

    def told(name: str) -> str:
        found = _NUMBERED.fullmatch(name)
        if found is None or found[1] not in ends:
            return name
        first, last = ends[found[1]]
        return f"{found[1]}{first} to {found[1]}{last}"

    return list(dict.fromkeys(map(told, names)))


def _are_through(numbers: list[int]) -> bool:
    return len(numbers) >= MANY and max(numbers) - min(numbers) + 1 == len(numbers)
