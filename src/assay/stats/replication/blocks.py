"""Runs -> blocks with a log slowdown each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.model.figures.measured import MeasuredRun, ValueKind
from assay.stats.centre import mean_of
from assay.stats.replication.levels import BlockLoss

Key = tuple[str, str, str]
"""Machine, session and block: a block's name need be unique inside its session only."""
Values = dict[str, list[float]]
"""Values of one block, by arm."""


@dataclass(frozen=True)
class PairedRuns:
    """Two arms, block by block, in an order that does not depend on that of the runs.

    Attributes:
        blocks: The log slowdown of each complete block.
        baseline: Geometric mean of the baseline's values in each complete block, in their own unit.
        treatment: The same of the treatment.
        incomplete: Blocks that hold one of the two arms only.
    """

    blocks: tuple[BlockLoss, ...]
    baseline: tuple[float, ...]
    treatment: tuple[float, ...]
    incomplete: int


def pair_runs(runs: Iterable[MeasuredRun], *, baseline: str, treatment: str, kind: ValueKind) -> PairedRuns:
    """Pair two arms by block; several values of an arm in a block count by their mean logarithm.

    Args:
        runs: Runs of the same work, of any arms, in any order; values > 0.
        baseline: Arm that the loss is measured against.
        treatment: Arm whose loss is measured.
        kind: What the values are.
    """
    held = _by_block(runs, (baseline, treatment))
    whole = [key for key in sorted(held, key=natural) if len(held[key]) == 2]
    return PairedRuns(
        blocks=tuple(BlockLoss(*key, _log_slowdown(held[key], baseline, treatment, kind)) for key in whole),
        baseline=tuple(geometric_mean(held[key][baseline]) for key in whole),
        treatment=tuple(geometric_mean(held[key][treatment]) for key in whole),
        incomplete=len(held) - len(whole),
    )


def natural(key: Iterable[str]) -> tuple[tuple[bool, float, str], ...]:
    """Return what sorts names as people count: numbers by their size, before words."""
    return tuple((not name.isdecimal(), float(name) if name.isdecimal() else 0.0, name) for name in key)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of one or more values > 0, in any order the same."""
    return values[0] if len(values) == 1 else math.exp(_mean_log(values))


def _by_block(runs: Iterable[MeasuredRun], arms: Sequence[str]) -> Mapping[Key, Values]:
    held: dict[Key, Values] = {}
    for run in runs:
        if run.arm in arms:
            held.setdefault(key_of(run), {}).setdefault(run.arm, []).append(run.value)
    return held


def key_of(run: MeasuredRun) -> Key:
    """Return the block of a run."""
    return run.machine, run.session, run.block


def _log_slowdown(values: Values, baseline: str, treatment: str, kind: ValueKind) -> float:
    d = _mean_log(values[treatment]) - _mean_log(values[baseline])
    return d if kind is ValueKind.TIME else -d


def _mean_log(values: Sequence[float]) -> float:
    return mean_of([math.log(value) for value in values])
