"""What a plan will take, before it starts and while it runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.model.trial import Arm, PlannedTrial

TRIAL_OVERHEAD_S = 1.0
"""Shipping, clock readings and collecting around each trial."""


@dataclass(frozen=True)
class Cost:
    """What remains to be spent."""

    trials: int
    seconds: float


def expected_cost(
    trials: Iterable[PlannedTrial],
    seconds: Mapping[str, float],
    *,
    visit_s: float,
    booted: Collection[Arm] = (Arm.TREATMENT,),
    seen: Mapping[tuple[Arm, str], Sequence[float]] | None = None,
) -> Cost:
    """Return the cost of the given trials.

    Args:
        trials: Trials still to run.
        seconds: Expected duration of each workload before any was seen, overhead not included.
        visit_s: Seconds to make an arm ready, once a visit (a guest's boot).
        booted: Arms that must be made ready.
        seen: Durations of trials so far, overhead included, by arm and workload; they replace guesses.
    """
    known = seen or {}
    trials = list(trials)
    work = sum(
        fmean(known[key]) if (key := (trial.arm, trial.workload)) in known else _guess(trial, seconds)
        for trial in trials
    )
    visits = len({(trial.block, trial.slot) for trial in trials if trial.arm in booted})
    return Cost(len(trials), work + visits * visit_s)


def _guess(trial: PlannedTrial, seconds: Mapping[str, float]) -> float:
    return seconds[trial.workload] + TRIAL_OVERHEAD_S
