"""Values that were measured elsewhere, held against what stands beside them: wall times, the disk's own rate,
file sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from assay.design.file_sizes import apart
from assay.explain.sanity.disks import SPARE
from assay.explain.sanity.score import contradict
from assay.model.doubt import Raised, raised
from assay.model.figures.measured import MeasuredRuns, ValueKind
from assay.stats.analysis.headline import cells_of
from assay.stats.analysis.measured import Question
from assay.stats.groups import mean_logs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Ratios:
    """What the treatment gained by its values and by its wall times, at each event number of each block.

    Attributes:
        block: Place of its block, shape (cells,).
        value: By values; above 1 is faster.
        wall: By wall times, likewise.
    """

    block: Places
    value: Numbers
    wall: Numbers

    @property
    def worst(self) -> int:
        """Where the two are furthest apart."""
        import numpy as np

        return int(np.maximum(self.wall / self.value, self.value / self.wall).argmax())


def other_files(runs: MeasuredRuns, question: Question) -> str | None:
    """Return why two arms are not compared: their runs worked on files of other sizes; ``None`` where they
    did not.
    """
    here, there = (
        frozenset(size for size in runs.file_bytes.of(runs.arm.equal(arm)).held() if size is not None)
        for arm in (question.baseline, question.treatment)
    )
    return apart(here, there, question.baseline, question.treatment)


def value_doubts(runs: MeasuredRuns, question: Question) -> Iterator[Raised]:
    """Yield what speaks against the values of one treatment by what was told beside them."""
    if (reason := other_files(runs, question)) is not None:
        yield raised("sizes-differ", reasons=((question.treatment, reason),))
    yield from _score_against_wall(runs, question)
    if question.kind is ValueKind.RATE:
        for arm in (question.baseline, question.treatment):
            yield from _faster_than_disk(runs.of(runs.arm.equal(arm)), arm)


def _score_against_wall(runs: MeasuredRuns, question: Question) -> Iterator[Raised]:
    """Hold what was gained by the values against what was gained by wall time, block by block at equal event
    numbers.
    """
    import numpy as np

    if np.isnan(runs.wall_s).all():
        return
    ratios = _ratios(runs, question)
    if not len(ratios.block):
        return
    value, wall = median(ratios.value.tolist()), median(ratios.wall.tolist())
    if not contradict([value], wall):
        return
    at = ratios.worst
    worst = float(ratios.value[at]), float(ratios.wall[at]), runs.blocks.name[int(ratios.block[at])]
    yield raised(
        "score-against-wall",
        case="values",
        baseline=question.baseline,
        treatment=question.treatment,
        value=value,
        wall=wall,
        worst=worst if len(ratios.block) > 1 else None,
    )


def _ratios(runs: MeasuredRuns, question: Question) -> _Ratios:
    """Return those of the cells in which both arms ran, and all of their runs tell a wall time."""
    import numpy as np

    cell = cells_of(runs.block, runs.events)
    _, first = np.unique(cell, return_index=True)
    arms = [runs.arm.equal(arm) for arm in (question.baseline, question.treatment)]
    told = np.bincount(cell[(arms[0] | arms[1]) & np.isnan(runs.wall_s)], minlength=len(first)) == 0
    values, walls = (
        [_means(column[rows], cell[rows], len(first)) for rows in arms]
        for column in (runs.value, runs.wall_s)
    )
    whole = np.flatnonzero(told & ~np.isnan(values[0]) & ~np.isnan(values[1]))
    (here, there), (wall_here, wall_there) = ([arm[whole] for arm in arms] for arms in (values, walls))
    better = there / here if question.kind is ValueKind.RATE else here / there
    return _Ratios(runs.block[first[whole]], better, wall_here / wall_there)


def _means(values: Numbers, cells: Places, count: int) -> Numbers:
    """Return the geometric mean of each cell; NaN where it has no value, or one that is not told."""
    import numpy as np

    logs = mean_logs(values, cells, count)
    return np.fromiter(map(math.exp, logs.tolist()), np.float64, count)


def _faster_than_disk(runs: MeasuredRuns, arm: str) -> Iterator[Raised]:
    import numpy as np

    rows = np.flatnonzero(~np.isnan(runs.disk_rate))
    times = runs.value[rows] / runs.disk_rate[rows]
    if not len(times) or median(times.tolist()) <= SPARE:
        return
    at = int(times.argmax())
    row = int(rows[at])
    worst = float(times[at]), float(runs.value[row]), runs.blocks.name[int(runs.block[row])]
    yield raised(
        "faster-than-disk",
        case="values",
        arm=arm,
        times=median(times.tolist()),
        worst=worst if len(times) > 1 else None,
    )
