"""Folded stacks, ``outermost;…;innermost count`` a line, as the probe writes them (``docs/profiles.md``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_DIGITS = 18
"""Of a number of samples: a stack is not seen more often in all the time there is."""


def merge_folded(profiles: Iterable[bytes]) -> bytes:
    """Return the sum of some profiles: every stack once, with all its samples; a damaged line is left out."""
    total: Counter[bytes] = Counter()
    for line in b"\n".join(profiles).split(b"\n"):
        stack, _, count = line.rpartition(b" ")
        if stack and count.isdigit() and len(count) <= _DIGITS:
            total[stack] += int(count)
    return b"".join(b"%s %d\n" % (stack, total[stack]) for stack in sorted(total))


def count_samples(folded: bytes) -> int:
    """Return the number of samples of a profile that ``merge_folded`` gave."""
    return sum(int(line.rpartition(b" ")[2]) for line in folded.split(b"\n") if line)
