"""The loss of the total time: as measured at each event number, and as the lines have it at any."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.model.figures.scan import Loss, Size
from assay.stats.jackknife import sums
from assay.stats.lines.line import Lines
from assay.stats.replication.paired import loss_of
from assay.stats.replication.pairing import Pairing, Times
from assay.stats.replication.quotient import Intervals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CURVE_POINTS = 60
FEW = 8
"""Blocks whose means are added up one by one: there may be as many event numbers as runs."""
BEYOND = 4
"""The curve ends at so many times the largest event number."""


def total_curve(lines: Sequence[Lines], last: float, intervals: Intervals) -> Iterator[tuple[int, Loss]]:
    """Yield the loss of the total at event numbers spread evenly over their logarithm.

    Args:
        lines: Of baseline and treatment.
        last: Largest event number that was measured.
        intervals: How intervals are made.
    """
    import numpy as np

    spread = np.geomspace(1, BEYOND * max(last, 1), CURVE_POINTS).round().astype(int)
    for events in sorted(set(spread.tolist())):
        yield events, intervals.loss(lines[0].at(events), lines[1].at(events))


def measured_sizes(times: Pairing, confidence: float) -> Iterator[Size]:
    """Yield what was measured at each event number that both arms hold."""
    held = [_by_events(arm) for arm in times.arms]
    for events in sorted(held[0].keys() & held[1].keys()):
        arms = [arm[events] for arm in held]
        blocks = arms[0].keys() | arms[1].keys()
        if len(blocks) == 1:
            yield _of_one_block(events, *(next(iter(arm.values())) for arm in arms))
            continue
        baseline, treatment = (_means(arm, sorted(blocks)) for arm in arms)
        loss = Intervals(len(blocks) - 1, confidence).loss(baseline, treatment)
        yield Size(events, len(blocks), float(baseline[0]), float(treatment[0]), loss)


def _of_one_block(events: int, baseline: float, treatment: float) -> Size:
    loss = loss_of(math.log(treatment) - math.log(baseline))
    return Size(events, 1, baseline, treatment, Loss(loss, None, None))


def _by_events(arm: Times) -> dict[int, dict[int, float]]:
    by_events: dict[int, dict[int, float]] = {}
    for (block, events), seconds in arm.items():
        by_events.setdefault(events, {})[block] = seconds
    return by_events


def _means(held: Mapping[int, float], blocks: Sequence[int]) -> Numbers:
    """Return the mean of all blocks, then without each; NaN where none is left."""
    import numpy as np

    if len(blocks) <= FEW:
        return np.array([_mean_without(held, left) for left in (None, *blocks)])
    values = np.array([held.get(block, 0.0) for block in blocks])
    known = np.array([block in held for block in blocks])
    counts = known.sum() - np.array([0, *known])
    means = np.full(len(counts), math.nan)
    np.divide(sums(values), counts, out=means, where=counts > 0)
    return means


def _mean_without(held: Mapping[int, float], left: int | None) -> float:
    values = [seconds for block, seconds in held.items() if block != left]
    return math.fsum(values) / len(values) if values else math.nan
