"""Which runs of a table with event numbers are the headline's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.model.doubt import Raised, raised
from assay.model.figures.measured import MeasuredRuns
from assay.stats.groups import geometric_means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

ENOUGH = 6
"""Blocks from which the exact interval is finite (at 95 %)."""
REPEATED, SHARE = 3, 20
"""An event number is no repeated one in fewer blocks, nor in fewer than one of so many."""


@dataclass(frozen=True)
class Chosen:
    """The runs of the headline.

    Attributes:
        runs: Runs of equal work inside each block.
        events: Their event number; ``None`` where there are none, or where they vary from block to block.
        unpaired: Blocks that are in ``runs`` on no arm for want of a partner of equal events.
        doubts: What must be known of the choice.
    """

    runs: MeasuredRuns
    events: int | None
    unpaired: int = 0
    doubts: tuple[Raised, ...] = ()


def choose(runs: MeasuredRuns, *, baseline: str, treatment: str) -> Chosen:
    """Return the runs at the largest event number that blocks enough hold on both arms.

    That is 6 blocks; where no number has them, the one that most blocks hold, the largest of those. Where
    event numbers vary from block to block, so that none is repeated, all that a block holds on both arms
    count, each event number as much as another; where no block holds one on both arms, those at the largest
    of both arms.
    """
    import numpy as np

    told = ~np.isnan(runs.events)
    here, there = (runs.arm.equal(arm) & told for arm in (baseline, treatment))
    held = here | there
    if not held.any():
        return Chosen(runs.of(~told) if told.any() else runs, None)
    cell = np.full(len(runs), -1, dtype=np.intp)
    cell[held] = cells_of(runs.block[held], runs.events[held])
    paired = _both(cell, here, there)
    if not paired.any():
        events = _of_both(runs, here, there)
        return Chosen(runs.of(runs.events == events), None if np.isnan(events) else int(events))
    in_pairs = held & paired[cell]
    cells = np.unique(cell[in_pairs], return_index=True)[1]
    numbers, counts = np.unique(runs.events[in_pairs][cells], return_counts=True)
    blocks = len(np.unique(runs.block[in_pairs]))
    if _vary(counts, blocks):
        unpaired = len(np.unique(runs.block[held])) - blocks
        doubt = raised("events-vary", least=int(numbers[0]), most=int(numbers[-1]))
        return Chosen(_once_each(runs.of(in_pairs), cell[in_pairs]), None, unpaired, (doubt,))
    largest = float(numbers[counts >= min(ENOUGH, counts.max())].max())
    return Chosen(runs.of(runs.events == largest), int(largest))


def cells_of(block: Places, events: Numbers) -> Places:
    """Return a number, from 0 on, for each block and event number together.

    Args:
        block: Of each run, shape (runs,).
        events: Likewise; numbers that are not told are one.
    """
    import numpy as np

    number = np.unique(events, return_inverse=True)[1]
    return np.asarray(np.unique(block * (int(number.max()) + 1) + number, return_inverse=True)[1])


def _both(cell: Places, here: Mask, there: Mask) -> Mask:
    """Tell which cells hold both arms."""
    import numpy as np

    count = int(cell.max()) + 1
    arms = [np.bincount(cell[rows], minlength=count) > 0 for rows in (here, there)]
    return np.asarray(arms[0] & arms[1])


def _vary(counts: Places, blocks: int) -> bool:
    """Tell whether event numbers, each in so many of the blocks, are none that is repeated."""
    most = int(counts.max())
    return most < min(ENOUGH, blocks) and (most < REPEATED or most * SHARE < blocks)


def _of_both(runs: MeasuredRuns, here: Mask, there: Mask) -> float:
    """Return the largest event number of both arms; NaN where they share none."""
    import numpy as np

    shared = np.intersect1d(runs.events[here], runs.events[there])
    return float(shared[-1]) if len(shared) else np.nan


def _once_each(runs: MeasuredRuns, cell: Places) -> MeasuredRuns:
    """Return one run for several of one block, arm and event number: each event number counts once."""
    import numpy as np

    _, first, group = np.unique(
        cell * len(runs.arm.values) + runs.arm.codes, return_index=True, return_inverse=True
    )
    values = geometric_means(runs.value, group, len(first))
    return replace(runs.of(first), value=values)
