"""The rows of one comparison, judged together: chance is to call any of them no more often than
it may one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from assay.model.figures.estimate import Estimate
from assay.stats.verdicts.verdict import CALLED

T = TypeVar("T")
Judge = Callable[[float, float], T]
"""Judges one row at a confidence; the second is that of the strictest step, by which the method is chosen."""


def judged_together(rows: Sequence[Judge[Estimate]], confidence: float) -> list[Estimate]:
    """Estimate rows so that false verdicts of any of them are as rare as the confidence of one asks for
    (``stepwise``).
    """
    return stepwise(
        rows,
        confidence,
        counts=lambda estimate: estimate.blocks > 1,
        called=lambda estimate: estimate.verdict in CALLED,
    )


def stepwise(
    rows: Sequence[Judge[T]], confidence: float, *, counts: Callable[[T], bool], called: Callable[[T], bool]
) -> list[T]:
    """Judge rows so that any of them is called by chance as rarely as the confidence of one asks for.

    Step by step: all m rows that are left are judged at 1 - (1 - confidence) / m; those that are called keep
    that interval, and the next step has as many rows less. The rows that are left at the end keep the
    interval of the last step. So a verdict is always that of the interval shown.

    Args:
        rows: What judges each row.
        confidence: Of all rows together, 0 < confidence < 1.
        counts: Tells whether a row has anything to be judged.
        called: Tells whether a row is found to differ.

    Source:
        S. Holm, Scand. J. Stat. 6 (1979) 65-70.

    Limits:
        The intervals of rows that are called hold each for itself with at least the confidence, not all at
        once.
    """
    judged = {at: row(confidence, confidence) for at, row in enumerate(rows)}
    left = [at for at, one in judged.items() if counts(one)]
    strictest = _level(confidence, max(1, len(left)))
    while left:
        level = _level(confidence, len(left))
        judged |= {at: rows[at](level, strictest) for at in left}
        kept = [at for at in left if not called(judged[at])]
        left = kept if len(kept) < len(left) else []
    return [judged[at] for at in range(len(rows))]


def _level(confidence: float, rows: int) -> float:
    return 1 - (1 - confidence) / rows if rows > 1 else confidence
