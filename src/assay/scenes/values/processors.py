"""The words for processors of an arm."""

from __future__ import annotations

from assay.model.machines.processors import ALL, ALL_CORES, CoreThreads, ProcessorsSpec
from assay.scenes.values.expected import ExpectedError, nearest

MOST = 65535
_EXPECTED = f"'{ALL}', '{ALL_CORES}', a number from 1 or a list of different processors"


def processors(value: object) -> str | int | tuple[int, ...]:
    """Return which processors are asked for, as ``ProcessorsSpec`` has it.

    Raises:
        ExpectedError: It is none of the words, no number, and no list of different ones.
    """
    if value in (ALL, ALL_CORES):
        return str(value)
    if _whole(value) and 1 <= value <= MOST:  # type: ignore[operator] # a whole number
        return int(value)  # type: ignore[call-overload, no-any-return]
    listed = value if isinstance(value, list) else []
    right = all(_whole(number) and 0 <= number <= MOST for number in listed)
    if listed and right and len(set(listed)) == len(listed):
        return tuple(listed)
    near = nearest(value, (ALL, ALL_CORES)) if isinstance(value, str) else None
    raise ExpectedError(_EXPECTED, nearest=near)


def to_processors(which: object, threads: str | None) -> ProcessorsSpec | None:
    """Return what two words ask for; ``None`` where neither is said."""
    if which is None and threads is None:
        return None
    return ProcessorsSpec(which, threads and CoreThreads(threads))  # type: ignore[arg-type] # as read


def say_processors(wanted: ProcessorsSpec | None) -> dict[str, object]:
    """Return the words that ask for it."""
    if wanted is None:
        return {}
    which = list(wanted.listed) or wanted.which
    words = {"processors": which, "threads": wanted.threads and str(wanted.threads)}
    return {word: value for word, value in words.items() if value is not None}


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
