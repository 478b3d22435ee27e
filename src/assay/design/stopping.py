"""Is it enough? Asked after every block, of one metric and of all together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.model.estimate import Estimate, Verdict
from assay.model.goal import Goal
from assay.stats import paired_loss
from assay.stats.components import floor_half


class Standing(StrEnum):
    """Where a metric stands against its goal."""

    GO_ON = "go on"
    REACHED = "reached"
    FLOOR = "floor"


@dataclass(frozen=True)
class Wanted:
    """What is asked of each metric.

    Attributes:
        goal: When it is enough.
        confidence: Coverage of intervals.
        margin: Loss that does not matter, a ratio.
    """

    goal: Goal
    confidence: float = 0.95
    margin: float = 0.0


@dataclass(frozen=True)
class Metered:
    """One metric so far.

    Attributes:
        slowdowns: Log slowdown of each complete block.
        sessions: Sessions in which these blocks lie.
        sigma: The site's A/A floor of this metric, log units; ``None`` where it is not known.
    """

    slowdowns: Sequence[float]
    sessions: int = 1
    sigma: float | None = None

    def estimate(self, wanted: Wanted) -> Estimate:
        """Return the loss with the floor in its interval."""
        floor = floor_half(self.sigma or 0.0, self.sessions, confidence=wanted.confidence)
        return paired_loss(self.slowdowns, confidence=wanted.confidence, margin=wanted.margin, floor=floor)


def standing(metered: Metered, wanted: Wanted) -> Standing:
    """Return whether a metric has what is wanted of it.

    With a precision: half the interval's width is at most that, from ``minimum_blocks`` blocks in at least
    ``sessions`` sessions on; it can never be where the floor alone is wider over the sessions that are
    wanted. Without: a verdict stands.

    Source:
        The rules and what they hold: ``docs/evidence``.

    Limits:
        A width that ends a run is reached a little early by chance; 10 blocks and several sessions keep the
        coverage within [0.93, 0.98] of 95 %.
    """
    goal, count = wanted.goal, len(metered.slowdowns)
    if goal.precision is not None and floor_to_come(metered, wanted) > goal.precision:
        return Standing.FLOOR
    if count < goal.minimum_blocks or metered.sessions < goal.sessions:
        return Standing.GO_ON
    estimate = metered.estimate(wanted)
    if goal.precision is None:
        return Standing.GO_ON if estimate.verdict is Verdict.INCONCLUSIVE else Standing.REACHED
    half = half_width(estimate)
    return Standing.REACHED if half is not None and half <= goal.precision else Standing.GO_ON


def half_width(estimate: Estimate) -> float | None:
    """Return half the width of an estimate's interval, a ratio."""
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2


def floor_to_come(metered: Metered, wanted: Wanted) -> float:
    """Return the half-width of the loss that the floor leaves after all sessions that are wanted, a ratio."""
    if metered.sigma is None:
        return 0.0
    sessions = max(metered.sessions, wanted.goal.sessions)
    half = floor_half(metered.sigma, sessions, confidence=wanted.confidence)
    return half / (metered.estimate(wanted).slowdown or 1.0)


def all_enough(metrics: Iterable[Metered], wanted: Wanted) -> bool:
    """Return whether nothing is left to be wanted: each metric has reached its goal, or never will."""
    asked = [standing(metered, wanted) for metered in metrics]
    return bool(asked) and Standing.GO_ON not in asked
