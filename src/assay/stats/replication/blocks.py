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
        typical: Geometric mean of either over all of these blocks; ``None`` where there is none.
        incomplete: Blocks that hold one of the two arms only.
    """

    places: Places
    losses: BlockLosses
    baseline: Numbers
    treatment: Numbers
    typical: tuple[float | None, float | None]
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
    alone = [len(block) == one.sum() for (_, block), one in zip(arms, held, strict=True)]
    return PairedRuns(
        places=whole,
        losses=BlockLosses(runs.blocks.machine.codes[whole], runs.blocks.sessions[whole], d),
        baseline=values[0],
        treatment=values[1],
        typical=(
            _typical(values[0], logs[0] if alone[0] else None),
            _typical(values[1], logs[1] if alone[1] else None),
        ),
        incomplete=int((held[0] | held[1]).sum()) - len(whole),
    )


def _typical(values: Numbers, logs: Numbers | None) -> float | None:
    """Return the geometric mean of an arm's blocks.

    Args:
        values: One a block.
        logs: Their logarithms, to the last digit; ``None`` where they are not known.
    """
    if logs is None or len(values) < 2:
        return geometric_mean(values.tolist()) if len(values) else None
    return math.exp(mean_of(logs))


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of one or more values > 0, in any order the same."""
    return values[0] if len(values) == 1 else math.exp(mean_of([math.log(value) for value in values]))
