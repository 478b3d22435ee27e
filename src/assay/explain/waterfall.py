"""From the baseline's time to the treatment's, one step a part."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.explain.budget import Budget, Part, TimeShare, share_of
from assay.explain.split import Category

LEAST = 0.02
"""Parts below this share of the largest are drawn together."""


@dataclass(frozen=True)
class Step:
    """One bar, in shares of the treatment's time.

    Attributes:
        phase: Phase of its part; ``None`` for the two whole times and for what is drawn together.
        category: Category of its part; ``None`` likewise.
        start: Where the bar begins.
        end: Where it ends: below the start where time was gained.
        share: Its height with the interval.
        together: Parts that it stands for.
    """

    phase: str | None
    category: Category | None
    start: float
    end: float
    share: TimeShare
    together: int = 1


def waterfall(made: Budget) -> tuple[Step, ...]:
    """Return the steps between the baseline's time, 1 - loss, and the treatment's, 1; they meet exactly.

    Parts smaller than ``LEAST`` of the largest are one step, the last.
    """
    largest = max((abs(part.contribution.value) for part in made.parts), default=0.0)
    shown = [part for part in made.parts if _counts(part, largest)]
    hidden = {(part.phase, part.category) for part in made.parts} - {(p.phase, p.category) for p in shown}
    at = 1 - made.loss.value
    steps = []
    for part in shown:
        value = part.contribution.value
        steps.append(Step(part.phase, part.category, at, at + value, part.contribution))
        at += value
    if hidden:
        rest = made.sum_of(lambda key: key in hidden)
        steps.append(Step(None, None, at, 1.0, rest, len(hidden)))
    return tuple(steps)


def _counts(part: Part, largest: float) -> bool:
    return abs(part.contribution.value) >= LEAST * largest > 0


def baseline_share(made: Budget) -> TimeShare:
    """Return the baseline's time in shares of the treatment's."""
    values = [1 - math.fsum(block.values()) for block in made.by_block]
    return share_of(values, made.confidence)
