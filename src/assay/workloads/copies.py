"""The figures of copies that ran at once, as figures of the job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from assay.model.metric import Direction, Measurement


def together(copies: Sequence[tuple[Measurement, ...]]) -> tuple[Measurement, ...]:
    """Return each metric once: rates (better higher) are summed, times (better lower) averaged.

    A figure that one copy lacks is ``None`` for all: a sum without it would be another quantity.

    Limits: a sum of rates is the job's rate where the copies ran side by side; with a stagger it is what
        they would have reached if they had.
    """
    if len(copies) == 1:
        return copies[0]
    by_copy = [{figure.metric.name: figure.value for figure in figures} for figures in copies]
    return tuple(
        Measurement(
            figure.metric, joined(figure.metric.direction, (c.get(figure.metric.name) for c in by_copy))
        )
        for figure in copies[0]
    )


def joined(direction: Direction, values: Iterable[float | None]) -> float | None:
    """Return one value for those of all copies, by the rule of ``together``."""
    every = list(values)
    known = [value for value in every if value is not None]
    if not known or len(known) < len(every):
        return None
    return sum(known) if direction is Direction.HIGHER else fmean(known)
