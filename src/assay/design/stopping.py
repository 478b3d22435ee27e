"""Is it enough? Asked after every block, of one metric and of all together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import count as count_from

from assay.design.remembered import remembered
from assay.model.figures.estimate import Estimate, Looks, Verdict
from assay.model.goal import Goal, Headline
from assay.stats.analysis.headline_total import Times, total_loss
from assay.stats.centre import scatters
from assay.stats.rank import interval_rank
from assay.stats.replication.components import Components, Floor
from assay.stats.replication.resolution import Resolution
from assay.stats.replication.sessions import Asked, block_loss, parts_of, session_loss
from assay.stats.verdicts.sequence import refutable
from assay.stats.verdicts.together import judged_together


class Standing(StrEnum):
    """Where a metric stands against its goal.

    ``FLOOR`` and ``NO_SCATTER`` are never to be reached: the site's floor alone is wider than what is wanted,
    or blocks that agree to the last digit know nothing of their noise.
    """

    GO_ON = "go on"
    REACHED = "reached"
    FLOOR = "floor"
    NO_SCATTER = "no scatter"


@dataclass(frozen=True)
class Wanted:
    """What is asked of each metric.

    Attributes:
        goal: When it is enough.
        confidence: Coverage of intervals.
        margin: Loss that does not matter, a ratio.
        looks: When a verdict may be drawn.
    """

    goal: Goal
    confidence: float = 0.95
    margin: float = 0.0
    looks: Looks = Looks.ONCE


@dataclass(frozen=True)
class Metered:
    """One metric so far.

    Attributes:
        slowdowns: Log slowdown of each complete block.
        sessions: Sessions in which these blocks lie.
        sigma: The site's A/A floor of this metric, log units; ``None`` where it is not known.
        freedom: Degrees of freedom of the floor.
        resolution: How finely the values were told; ``None`` where nothing is seen of it.
        labels: The session of each block; where there are none, sessions are taken to be alike.
        times: The two times of each block where the total is the headline; else none.
    """

    slowdowns: Sequence[float]
    sessions: int = 1
    sigma: float | None = None
    freedom: float = math.inf
    labels: Sequence[int] = ()
    resolution: Resolution | None = None
    times: Sequence[Times] = ()

    @property
    def is_resolved(self) -> bool:
        """Whether both arms' values scatter, or none; of one alone that does not, a tick hides what was
        measured.
        """
        return self.resolution is None or not self.resolution.hidden

    @property
    def floor(self) -> Floor | None:
        """The site's A/A floor."""
        return None if self.sigma is None else Floor(self.sigma, self.freedom)

    @remembered
    def parts(self) -> Components:
        """Return where the scatter of its blocks comes from, by their sessions."""
        return parts_of(self.slowdowns, self.labels)

    @remembered
    def estimate(
        self,
        wanted: Wanted,
        confidence: float | None = None,
        strictest: float | None = None,
        alone: bool = False,
    ) -> Estimate:
        """Return the loss with the floor in its interval.

        Args:
            wanted: What is asked.
            confidence: Of this row among several (``stats.verdicts.together``); that of ``wanted`` where
                ``None``.
            strictest: As of ``paired_loss``.
            alone: Likewise; of a total there is always all.
        """
        level = confidence or wanted.confidence
        together = (strictest or level) > wanted.confidence
        seen = self.resolution
        asked = Asked(level, wanted.margin, self.floor, wanted.looks, strictest, seen, together, alone)
        if wanted.goal.headline is Headline.TOTAL and self.times:
            return total_loss(self.times, self.labels or [0] * len(self.times), asked)
        if self.labels:
            return session_loss(self.slowdowns, self.labels, asked, self.parts()).estimate
        return block_loss(self.slowdowns, self.sessions, asked)


@dataclass(frozen=True)
class Judged:
    """One metric as it is judged together with the others of its comparison.

    Attributes:
        metered: Its blocks.
        wanted: What is asked of it, at the confidence of its step among the others.
        estimate: Its loss.
    """

    metered: Metered
    wanted: Wanted
    estimate: Estimate

    @property
    def standing(self) -> Standing:
        """Where it stands against its goal."""
        return standing(self.metered, self.wanted, self.estimate)


def judged(metrics: Sequence[Metered], wanted: Wanted) -> list[Judged]:
    """Judge the metrics of one comparison together."""
    return [
        Judged(metered, replace(wanted, confidence=estimate.confidence), estimate)
        for metered, estimate in zip(metrics, estimates(metrics, wanted), strict=True)
    ]


def estimates(metrics: Sequence[Metered], wanted: Wanted) -> list[Estimate]:
    """Return the losses of the metrics of one comparison, judged together."""
    return judged_together([partial(metered.estimate, wanted) for metered in metrics], wanted.confidence)


def each_of(wanted: Wanted, metrics: int) -> Wanted:
    """Return what is asked of each of so many metrics before any of them is called."""
    return replace(wanted, confidence=1 - (1 - wanted.confidence) / metrics) if metrics > 1 else wanted


def standing(metered: Metered, wanted: Wanted, estimate: Estimate | None = None) -> Standing:
    """Return whether a metric has what is wanted of it, by its estimate: its own where ``None``.

    From ``minimum_blocks`` blocks on. With a precision: half the interval's width is at most that, in at
    least ``sessions`` sessions; it can never be where the floor alone is wider over the sessions that are
    wanted. Without: a verdict stands. Of blocks without any scatter neither is ever known.

    Source:
        The rules and what they hold: ``docs/evidence``.

    Limits:
        A width that ends a run is reached a little early by chance; 10 blocks and several sessions keep the
        coverage within [0.93, 0.98] of 95 %.
    """
    goal, count = wanted.goal, len(metered.slowdowns)
    if count < goal.minimum_blocks:
        return Standing.GO_ON
    if metered.sessions >= goal.sessions:
        if count > 1 and not (scatters(metered.slowdowns) and metered.is_resolved):
            return Standing.NO_SCATTER
        if _has(estimate or metered.estimate(wanted), goal):
            return Standing.REACHED
    return Standing.FLOOR if floor_forbids(metered, wanted) else Standing.GO_ON


def _has(estimate: Estimate, goal: Goal) -> bool:
    """Tell whether an estimate is what a goal asks for, a verdict or a width."""
    if goal.precision is None:
        return estimate.verdict is not Verdict.INCONCLUSIVE
    half = half_width(estimate)
    return half is not None and half <= goal.precision


def floor_forbids(metered: Metered, wanted: Wanted) -> bool:
    """Tell whether the floor alone is wider than the precision over all sessions that are wanted."""
    precision = wanted.goal.precision
    return precision is not None and floor_to_come(metered, wanted) > precision


def half_width(estimate: Estimate) -> float | None:
    """Return half the width of an estimate's interval, a ratio."""
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2


def floor_to_come(metered: Metered, wanted: Wanted) -> float:
    """Return the half-width of the loss that the floor leaves after all sessions that are wanted, a ratio."""
    if metered.floor is None:
        return 0.0
    sessions = max(metered.sessions, wanted.goal.sessions)
    return metered.floor.half(sessions, confidence=wanted.confidence) / slowdown_of(metered, wanted)


def slowdown_of(metered: Metered, wanted: Wanted) -> float:
    """Return the slowdown so far, by which a width in log units becomes one of the loss; 1 before the first
    block.
    """
    return metered.estimate(wanted).slowdown or 1.0


def standings(metrics: Sequence[Metered], wanted: Wanted) -> list[Standing]:
    """Return where each of the metrics of one comparison stands."""
    return [one.standing for one in judged(metrics, wanted)]


def decides_from(confidence: float, metrics: int) -> int:
    """Return the fewest blocks after which one of so many metrics, judged together, can be told from zero at
    a look.

    Args:
        confidence: Of all of them together.
        metrics: How many there are; none is as one.

    Returns:
        From so many on the confidence sequence of the strictest step is finite: 5 of one metric at 95 %, 6 of
        two.
    """
    level = each_of(Wanted(Goal(), confidence), metrics).confidence
    return next(blocks for blocks in count_from(1) if refutable(blocks, level))


def ranks_from(confidence: float, metrics: int) -> int:
    """Return the fewest blocks of which ranks have an interval at the strictest step; arguments as
    ``decides_from``.
    """
    level = each_of(Wanted(Goal(), confidence), metrics).confidence
    return next(blocks for blocks in count_from(1) if interval_rank(blocks, level)[0])
