"""Runs -> blocks with a log slowdown each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.model.figures.measured import MeasuredRuns, ValueKind
from assay.stats.centre import mean_of
from assay.stats.groups import geometric_means, mean_logs
from assay.stats.replication.levels import BlockLosses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairedRuns:
    """Two arms, block by block, in an order that does not depend on that of the runs; columns of one length.

    Attributes:
        places: Place of each complete block in the blocks of the runs, ascending, shape (blocks,).
        losses: The log slowdown of each.
        baseline: Geometric mean of the baseline's values in each, in their own unit.
        treatment: The same of the treatment.
        incomplete: Blocks that hold one of the two arms only.
    """

    places: Places
    losses: BlockLosses
    baseline: Numbers
    treatment: Numbers
    incomplete: int


def pair_runs(runs: MeasuredRuns, *, baseline: str, treatment: str, kind: ValueKind) -> PairedRuns:
    """Pair two arms by block; several values of an arm in a block count by their mean logarithm.

    Args:
        runs: Runs of the same work, of any arms, in any order.
        baseline: Arm that the loss is measured against.
        treatment: Arm whose loss is measured.
        kind: What the values are.
    """
    import numpy as np

    count = len(runs.blocks)
    arms = [(runs.value[rows], runs.block[rows]) for rows in map(runs.arm.equal, (baseline, treatment))]
    held = [np.bincount(block, minlength=count) > 0 for _, block in arms]
    whole = np.flatnonzero(held[0] & held[1])
    logs = [mean_logs(value, block, count)[whole] for value, block in arms]
    d = logs[1] - logs[0] if kind is ValueKind.TIME else -(logs[1] - logs[0])
    values = [geometric_means(value, block, count)[whole] for value, block in arms]
    return PairedRuns(
        places=whole,
        losses=BlockLosses(runs.blocks.machine.codes[whole], runs.blocks.sessions[whole], d),
        baseline=values[0],
        treatment=values[1],
        incomplete=int((held[0] | held[1]).sum()) - len(whole),
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of one or more values > 0, in any order the same."""
    return values[0] if len(values) == 1 else math.exp(mean_of([math.log(value) for value in values]))
