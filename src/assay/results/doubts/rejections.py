"""What became of disturbed trials, for the page of a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb, prod

from assay.design.rerun import is_read
from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised, raised
from assay.model.trial import Arm, Trial
from assay.pages.context import CauseCount, Rejections

UNEQUAL = 0.05
"""Below this probability of equal arms it is said that they were rejected unequally."""


def rejections_of(
    plan: ActivityPlan, kept: Sequence[Trial], rejected: Sequence[Trial]
) -> tuple[Rejections, ...]:
    """Return how many trials of each arm were rejected, and why; empty where no cause is declared.

    Args:
        plan: The activity's plan.
        kept: Its records.
        rejected: Records of the trials that were run again.
    """
    if not plan.goal.rerun or not is_read(plan):
        return ()
    return tuple(_of_arm(plan, arm, kept, rejected) for arm in Arm)


def rejection_doubts(kept: Sequence[Trial], rejected: Sequence[Trial]) -> Iterator[Raised]:
    """Say so where one arm was rejected, or disturbed, more often than the other."""
    hits = Counter(trial.planned.arm for trial in rejected)
    spared = Counter(trial.planned.arm for trial in kept)
    if _unequal(hits, spared):
        yield raised("rejection-unequal", hits=_counts(hits, spared), chance=_chance(hits, spared))
    runs = [trial for trial in (*kept, *rejected) if trial.host]
    disturbed = Counter(trial.planned.arm for trial in runs if trial.disturbed_by)
    quiet = Counter(trial.planned.arm for trial in runs if not trial.disturbed_by)
    if not _unequal(hits, spared) and _unequal(disturbed, quiet):
        yield raised("disturbance-unequal", hits=_counts(disturbed, quiet), chance=_chance(disturbed, quiet))


def _of_arm(plan: ActivityPlan, arm: Arm, kept: Sequence[Trial], rejected: Sequence[Trial]) -> Rejections:
    ours = [trial for trial in rejected if trial.planned.arm is arm]
    causes = Counter(cause for trial in ours for cause in trial.disturbed_by if cause in plan.goal.rerun)
    return Rejections(
        arm=arm,
        rejected=len(ours),
        runs=len(ours) + sum(trial.planned.arm is arm for trial in kept),
        causes=tuple(CauseCount(str(cause), causes[cause]) for cause in plan.goal.rerun if causes[cause]),
        trials=tuple(trial.planned.name for trial in ours),
    )


def _unequal(hits: Counter[Arm], spared: Counter[Arm]) -> bool:
    return _chance(hits, spared) < UNEQUAL


def _chance(hits: Counter[Arm], spared: Counter[Arm]) -> float:
    """Return the two-sided p value of Fisher's exact test that both arms were hit alike.

    It holds the probability of the very table that is seen. Where that decides, it is returned in its place,
    and scipy's tests, which take 0.7 s to load, are not asked.
    """
    arms = [(hits[arm] + spared[arm], hits[arm]) for arm in Arm]
    seen = prod(comb(size, hit) for size, hit in arms) / comb(hits.total() + spared.total(), hits.total())
    if seen >= UNEQUAL:
        return seen
    from scipy.stats import fisher_exact

    return float(fisher_exact([[hits[arm] for arm in Arm], [spared[arm] for arm in Arm]]).pvalue)


def _counts(hits: Counter[Arm], spared: Counter[Arm]) -> tuple[tuple[Arm, int, int], ...]:
    """Return how many of the runs of each arm were hit."""
    return tuple((arm, hits[arm], hits[arm] + spared[arm]) for arm in Arm)
