"""Lists of numbers as the kernel and libvirt write them, ``0-2,5``."""

from __future__ import annotations

import re
from collections.abc import Iterable

FORM = r"[0-9]{1,4}(?:-[0-9]{1,4})?(?:,[0-9]{1,4}(?:-[0-9]{1,4})?)*"
"""Regular expression of one."""


def read_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list in rising order, each once; empty text gives none.

    Raises:
        ValueError: it is no list, or a range runs backwards.
    """
    if not text:
        return ()
    if re.fullmatch(FORM, text) is None:
        msg = f"expected a list of numbers like 0-2,5, got '{text}'"
        raise ValueError(msg)
    parts = [part.partition("-") for part in text.split(",")]
    ranges = [range(int(first), int(last or first) + 1) for first, _, last in parts]
    if not all(ranges):
        msg = f"expected ranges that run upwards, got '{text}'"
        raise ValueError(msg)
    return tuple(sorted({number for one in ranges for number in one}))


def spell_numbers(numbers: Iterable[int]) -> str:
    """Return numbers as a list with ranges, ``0-2,5``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
