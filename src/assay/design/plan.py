"""Randomised complete blocks with a second visit to the baseline."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from assay.model.trial import Arm, PlannedTrial

VISITS = (Arm.BASELINE, Arm.BASELINE, Arm.TREATMENT)
"""Each block visits the baseline twice: the difference of the two is the run's own noise floor."""


def plan_trials(workloads: Sequence[str], *, blocks: int, seed: int) -> tuple[PlannedTrial, ...]:
    """Return the trials of all blocks in the order in which they run.

    Inside a block the three visits come in random order; the workloads come in one random order a
    block, the same in its three visits, so that what precedes a workload is the same on both arms.

    Args:
        workloads: Names of the workloads, unique.
        blocks: Number of blocks, at least one.
        seed: Seed of the order; the same seed gives the same plan.

    Source:
        G. E. P. Box, J. S. Hunter, W. G. Hunter, "Statistics for Experimenters", 2nd ed., chapter 4.
    """
    draw = random.Random(seed)  # noqa: S311 - an order, not a secret
    visits = [visit for block in range(blocks) for visit in _block(block, workloads, draw)]
    return tuple(PlannedTrial(index, *visit) for index, visit in enumerate(visits))


def _block(
    block: int, workloads: Sequence[str], draw: random.Random
) -> Iterator[tuple[int, int, Arm, int, str]]:
    arms = draw.sample(VISITS, len(VISITS))
    order = draw.sample(list(workloads), len(workloads))
    for slot, arm in enumerate(arms):
        replicate = arms[:slot].count(arm)
        for workload in order:
            yield block, slot, arm, replicate, workload
