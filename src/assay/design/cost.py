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


@dataclass(frozen=True)
class Preparing:
    """What preparing trials took so far, before their own time.

    Attributes:
        seen: Seconds of each trial, 0 where all was there, by arm and workload.
        fresh: Arms that begin each visit without what was prepared in an earlier one.
    """

    seen: Mapping[tuple[Arm, str], Sequence[float]]
    fresh: Collection[Arm]

    def left(self, trials: Iterable[PlannedTrial]) -> float:
        """Return the seconds of the preparations that are still to be made.

        A fresh arm has them in each visit, another once; one that has not been seen is taken to need as long
        as the other.
        """
        places = {
            (trial.arm, trial.workload, *((trial.block, trial.slot) if trial.arm in self.fresh else ()))
            for trial in trials
        }
        return sum(self._one(arm, workload) for arm, workload, *_ in places)

    def _one(self, arm: Arm, workload: str) -> float:
        if (arm, workload) in self.seen:
            return fmean(self.seen[arm, workload]) if arm in self.fresh else 0.0
        first = [max(spent) for (_, name), spent in self.seen.items() if name == workload]
        return fmean(first) if first else 0.0


def expected_cost(
    trials: Iterable[PlannedTrial],
    seconds: Mapping[str, float],
    *,
    visit_s: float,
    booted: Collection[Arm] = (Arm.TREATMENT,),
    seen: Mapping[tuple[Arm, str], Sequence[float]] | None = None,
    preparing: Preparing | None = None,
) -> Cost:
    """Return the cost of the given trials.

    Args:
        trials: Trials still to run.
        seconds: Expected duration of each workload before any was seen, overhead not included.
        visit_s: Seconds to make an arm ready, once a visit (a guest's boot).
        booted: Arms that must be made ready.
        seen: Durations of trials so far, overhead included, by arm and workload; they replace guesses.
        preparing: What preparing each of them took before; ``None`` counts none.
    """
    known = {key: fmean(spent) for key, spent in (seen or {}).items()}
    trials = list(trials)
    work = sum(
        known[key] if (key := (trial.arm, trial.workload)) in known else _guess(trial, seconds)
        for trial in trials
    )
    visits = len({(trial.block, trial.slot) for trial in trials if trial.arm in booted})
    return Cost(len(trials), work + visits * visit_s + (preparing.left(trials) if preparing else 0.0))


def _guess(trial: PlannedTrial, seconds: Mapping[str, float]) -> float:
    return seconds[trial.workload] + TRIAL_OVERHEAD_S
