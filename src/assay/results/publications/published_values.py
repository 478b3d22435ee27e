"""Values that were measured elsewhere, held against what stands beside them: wall times, the disk's own rate,
file sizes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from assay.design.file_sizes import apart
from assay.explain.sanity.disks import SPARE
from assay.explain.sanity.score import contradict
from assay.model.doubt import Raised, raised
from assay.model.figures.measured import MeasuredRun, ValueKind
from assay.stats.analysis.measured import Question


@dataclass(frozen=True)
class _Ratios:
    """One block: what the treatment gained by its values, and by its wall times; above 1 is faster."""

    block: str
    value: float
    wall: float

    @property
    def apart(self) -> float:
        """How far the two are apart, a ratio of at least 1."""
        return max(self.wall / self.value, self.value / self.wall)


def other_files(runs: Iterable[MeasuredRun], question: Question) -> str | None:
    """Return why two arms are not compared: their runs worked on files of other sizes; ``None`` where they
    did not.
    """
    held = list(runs)
    here, there = (
        frozenset(run.file_bytes for run in held if run.arm == arm and run.file_bytes is not None)
        for arm in (question.baseline, question.treatment)
    )
    return apart(here, there, question.baseline, question.treatment)


def value_doubts(runs: Sequence[MeasuredRun], question: Question) -> Iterator[Raised]:
    """Yield what speaks against the values of one treatment by what was told beside them."""
    if (reason := other_files(runs, question)) is not None:
        yield raised("sizes-differ", reasons=((question.treatment, reason),))
    yield from _score_against_wall(runs, question)
    if question.kind is ValueKind.RATE:
        for arm in (question.baseline, question.treatment):
            yield from _faster_than_disk([run for run in runs if run.arm == arm], arm)


def _score_against_wall(runs: Sequence[MeasuredRun], question: Question) -> Iterator[Raised]:
    """Hold what was gained by the values against what was gained by wall time, block by block at equal event
    numbers.
    """
    ratios = list(_ratios(runs, question)) if any(run.wall_s is not None for run in runs) else []
    if not ratios:
        return
    value, wall = median(one.value for one in ratios), median(one.wall for one in ratios)
    if not contradict([value], wall):
        return
    worst = max(ratios, key=lambda one: one.apart)
    yield raised(
        "score-against-wall",
        case="values",
        baseline=question.baseline,
        treatment=question.treatment,
        value=value,
        wall=wall,
        worst=(worst.value, worst.wall, worst.block) if len(ratios) > 1 else None,
    )


def _ratios(runs: Sequence[MeasuredRun], question: Question) -> Iterator[_Ratios]:
    blocks: dict[tuple[str, str, str, int | None], dict[str, list[MeasuredRun]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for run in runs:
        blocks[run.machine, run.session, run.block, run.events][run.arm].append(run)
    for (_, _, block, _), arms in blocks.items():
        here, there = (arms.get(arm, []) for arm in (question.baseline, question.treatment))
        walls = [[run.wall_s for run in arm if run.wall_s is not None] for arm in (here, there)]
        if here and there and [len(arm) for arm in walls] == [len(here), len(there)]:
            values = [_mean([run.value for run in arm]) for arm in (here, there)]
            better = values[1] / values[0] if question.kind is ValueKind.RATE else values[0] / values[1]
            yield _Ratios(block, better, _mean(walls[0]) / _mean(walls[1]))


def _mean(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def _faster_than_disk(runs: Sequence[MeasuredRun], arm: str) -> Iterator[Raised]:
    known = [(run.value / run.disk_rate, run) for run in runs if run.disk_rate is not None]
    if not known or median(times for times, _ in known) <= SPARE:
        return
    worst, run = max(known, key=lambda one: one[0])
    yield raised(
        "faster-than-disk",
        case="values",
        arm=arm,
        times=median(times for times, _ in known),
        worst=(worst, run.value, run.block) if len(known) > 1 else None,
    )
