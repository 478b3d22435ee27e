"""Doubts about a score: one that says another thing than the wall time of the same runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.explain.sanity.runs import Pair, Runs
from assay.model.doubt import Raised, raised
from assay.model.metric import Direction
from assay.model.trial import Trial
from assay.model.work.accounting import own_metrics

APART = 1.5
"""Ratio of two ratios of the same work from which one of them is wrong: what a score leaves out of a run (its
start, its end) is seldom a third of it. The published contradiction is 3.8: 4.39 times by wall time, 1.15 by
score (IJCLab 2022).
"""
ALIKE = 1.1
"""Wall times closer than this may be those of a job that runs for a given time, whatever it gets done."""
SHARES = frozenset({"%", "B", ""})
"""Units of what is no rate and no score."""


def contradict(scores: Sequence[float], wall: float) -> bool:
    """Tell whether the wall time of a run and its scores cannot be of the same work.

    A run that consists of several measured parts takes a time between that of the part that gained most and
    that of the one that gained least: its ratio lies between theirs.

    Args:
        scores: Each score of the treatment over that of the baseline, above 0, at least one.
        wall: Wall time of the baseline over that of the treatment, above 0.
    """
    if max(wall, 1 / wall) < ALIKE:
        return False
    return wall > APART * max(scores) or wall * APART < min(scores)


def score_against_wall(pair: Pair) -> Iterator[Raised]:
    """Doubt scores and rates of a whole run that its wall time contradicts.

    Source: HEPscore at IJCLab (Vamvakopoulos 2022).
    Limits: medians over trials. A job that tells of phases has rates of a phase, which are no score of the
        run; a job that runs for a given time is to be left out before.
    """
    if any(trial.phases for runs in pair.arms for trial in runs.trials):
        return
    here, there = (runs.usage(lambda usage: usage.wall_s) for runs in pair.arms)
    scores = dict(_ratios(pair))
    if not here or not there or not scores or not contradict(list(scores.values()), here / there):
        return
    yield raised(
        "score-against-wall",
        case="scores",
        workload=pair.workload.name,
        baseline=pair.baseline.label,
        treatment=pair.treatment.label,
        scores=tuple(scores.items()),
        wall=here / there,
    )


def _ratios(pair: Pair) -> Iterator[tuple[str, float]]:
    """Yield each score of the treatment over that of the baseline, by its name."""
    for metric in own_metrics(pair.workload.metrics):
        if metric.direction is Direction.HIGHER and metric.unit not in SHARES:
            here, there = (_typical(runs, metric.name) for runs in pair.arms)
            if here and there:
                yield metric.name, there / here


def _typical(runs: Runs, metric: str) -> float | None:
    return runs.typical(lambda trial: value_of(trial, metric))


def value_of(trial: Trial, metric: str) -> float | None:
    """Return what a trial measured of a metric; ``None`` where nothing."""
    return next((one.value for one in trial.measurements if one.metric.name == metric), None)
