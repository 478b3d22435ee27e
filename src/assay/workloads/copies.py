"""The figures of copies that ran at once, as figures of the job."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from assay.model.metric import Direction, Measurement, Metric, OfCopies


def together(copies: Sequence[tuple[Measurement, ...]]) -> tuple[Measurement, ...]:
    """Return each metric once: rates (better higher) are summed, times (better lower) averaged, or as it says
    itself.

    A figure that one copy lacks is ``None`` for all: a sum without it would be another quantity.

    Limits: a sum of rates is the job's rate where the copies ran side by side; with a stagger it is what
        they would have reached if they had.
    """
    if len(copies) == 1:
        return copies[0]
    by_copy = [{figure.metric.name: figure.value for figure in figures} for figures in copies]
    return tuple(
        Measurement(figure.metric, _joined(figure.metric, [c.get(figure.metric.name) for c in by_copy]))
        for figure in copies[0]
    )


def _joined(metric: Metric, values: Sequence[float | None]) -> float | None:
    if metric.of_copies is OfCopies.LEAST:
        known = [value for value in values if value is not None]
        return min(known) if known and len(known) == len(values) else None
    if metric.of_copies is OfCopies.MEAN:
        return joined(Direction.LOWER, values)
    return joined(metric.direction, values)


def joined(direction: Direction, values: Iterable[float | None]) -> float | None:
    """Return one value for those of all copies, by the rule of ``together``."""
    every = list(values)
    known = [value for value in every if value is not None]
    if not known or len(known) < len(every):
        return None
    return sum(known) if direction is Direction.HIGHER else math.fsum(known) / len(known)


def one_after_another(
    copies: Sequence[tuple[Measurement, ...]], shares: Sequence[float]
) -> tuple[Measurement, ...]:
    """Return each metric once for copies that did not run side by side: rates are of the whole time.

    A rate counts by the share of the whole time in which its copy ran, so that the sum is work over time;
    times are averaged as by ``together``.

    Args:
        copies: Figures of each.
        shares: Of the time from the first start to the last end, the part in which each ran, 0 to 1.
    """
    return together(
        [
            tuple(_shared(figure, share) for figure in figures)
            for figures, share in zip(copies, shares, strict=True)
        ]
    )


def _shared(figure: Measurement, share: float) -> Measurement:
    metric = figure.metric
    work = metric.direction is Direction.HIGHER and metric.timed and metric.of_copies is None
    if figure.value is None or not work:
        return figure
    return Measurement(figure.metric, figure.value * share)
