"""A treatment that is faster than its baseline: explained by what differs between the arms, not averaged
away.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.explain.sanity.clues import clues
from assay.explain.sanity.runs import Pair
from assay.model.doubt import Raised, raised


@dataclass(frozen=True)
class Gain:
    """Metrics of a workload in which the treatment is faster.

    Attributes:
        workload: Name of the workload.
        metrics: Their names.
        slowdown: Time of the treatment over time of the baseline in the first of them, below 1.
    """

    workload: str
    metrics: tuple[str, ...]
    slowdown: float


def treatment_faster(pair: Pair, gain: Gain) -> Raised:
    """Return the doubt of a gain: by how much, and what differs between the arms.

    Source: HEPscore at IJCLab (Vamvakopoulos 2022): guests 1.15 times better by score and 4.39 times by wall
        time, because the metal's file system spun in its locks.

    Limits: a clue is what differs, not what was proved to be the cause; only an ablation proves.
    """
    return raised(
        "treatment-faster",
        workload=gain.workload,
        baseline=pair.baseline.label,
        treatment=pair.treatment.label,
        metrics=gain.metrics,
        times=1 / gain.slowdown,
        by_wall=_by_wall(pair, gain),
        clues=tuple(clues(pair)),
    )


def _by_wall(pair: Pair, gain: Gain) -> float | None:
    """Return the ratio of wall times where it tells another story than the metric; else ``None``."""
    here, there = (runs.usage(lambda usage: usage.wall_s) for runs in pair.arms)
    if not here or not there:
        return None
    ratio = here / there
    return ratio if not 0.8 < ratio * gain.slowdown < 1.25 else None
