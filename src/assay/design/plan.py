"""Randomised blocks: which arm is visited when."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from assay.model.goal import Shape
from assay.model.trial import Arm, PlannedTrial

Visit = tuple[Arm, int]
"""An arm, and which of several treatments it is."""
BASELINE: Visit = (Arm.BASELINE, 0)
PAIR = (BASELINE, (Arm.TREATMENT, 0))
BALANCED = 4
"""Of so many pairs in a row half begin with the baseline: what drifts in time hits both arms alike."""

Visits = tuple[Visit, ...]


def plan_trials(
    workloads: Sequence[str],
    *,
    blocks: int,
    seed: int,
    shape: Shape = Shape.DOUBLE,
    runs: int = 1,
    visits: Sequence[int] = (1,),
) -> tuple[PlannedTrial, ...]:
    """Return the trials of all blocks in the order in which they run.

    The visits of a block come in random order: of ``DOUBLE`` (the baseline twice: the difference of the two
    is the run's own noise floor; each treatment once, or as often as is asked) in any; of ``PAIRS`` so that
    of four blocks two begin with each arm; of ``CHAINED`` turned in every block after a first one that is
    drawn, so that neighbours share a visit. The workloads come in one random order a block, the same in its
    visits, so that what precedes a workload is the same on both arms.

    Args:
        workloads: Names of the workloads, unique.
        blocks: Number of blocks, at least one.
        seed: Seed of the order; the same seed gives the same plan.
        shape: How the visits of a block lie; ``AUTO`` must have been decided.
        runs: Runs of each workload in a visit, one after the other.
        visits: How often each treatment is visited; several treatments only in blocks of ``DOUBLE``.

    Source:
        G. E. P. Box, J. S. Hunter, W. G. Hunter, "Statistics for Experimenters", 2nd ed., chapter 4.
    """
    draw = random.Random(seed)  # noqa: S311 - an order, not a secret
    if shape is Shape.DOUBLE:
        levels = (level for level, often in enumerate(visits) for _ in range(often))
        every = (BASELINE, BASELINE, *((Arm.TREATMENT, level) for level in levels))
        trials = [trial for block in range(blocks) for trial in _block(block, workloads, draw, every, runs)]
    else:
        turned = _pairs(blocks, draw, shape)
        trials = [
            trial for block in range(blocks) for trial in _of(block, workloads, draw, turned[block], runs)
        ]
    return tuple(PlannedTrial(index, *trial) for index, trial in enumerate(trials))


def _pairs(blocks: int, draw: random.Random, shape: Shape) -> list[Visits]:
    """Return the order of the two visits of each block."""
    if shape is Shape.CHAINED:
        first = draw.randrange(2)
        return [PAIR if (block + first) % 2 else PAIR[::-1] for block in range(blocks)]
    half = [PAIR, PAIR[::-1]] * (BALANCED // 2)
    fours = [draw.sample(half, BALANCED) for _ in range(-(-blocks // BALANCED))]
    return [visits for four in fours for visits in four]


Drawn = tuple[int, int, Arm, int, str, int]


def _block(
    block: int, workloads: Sequence[str], draw: random.Random, every: Visits, runs: int
) -> Iterator[Drawn]:
    yield from _of(block, workloads, draw, tuple(draw.sample(every, len(every))), runs)


def _of(
    block: int, workloads: Sequence[str], draw: random.Random, visits: Visits, runs: int
) -> Iterator[Drawn]:
    order = draw.sample(list(workloads), len(workloads))
    for slot, (arm, level) in enumerate(visits):
        before = visits[:slot].count((arm, level)) * runs
        for run in range(runs):
            for workload in order:
                yield block, slot, arm, before + run, workload, level
