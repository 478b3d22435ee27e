"""Is it enough? Asked after every block, of one metric and of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.design.blocks import Block
from assay.model.estimate import Estimate, Verdict
from assay.model.goal import Goal
from assay.stats import paired_loss
from assay.stats.components import floor_half
from assay.stats.levels import BlockLoss, level_loss
from assay.stats.paired import ONCE


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
        blocks: Numbers of these blocks; empty is "not told".
        days: The session of each block; empty is "not told".
    """

    slowdowns: Sequence[float]
    sessions: int = 1
    sigma: float | None = None
    blocks: tuple[int, ...] = ()
    days: tuple[int, ...] = ()

    @classmethod
    def of(cls, blocks: Sequence[Block], slowdowns: Sequence[float], sigma: float | None) -> Metered:
        """Return whole blocks with their log slowdowns as a metric so far."""
        days = tuple(block.session for block in blocks)
        return cls(slowdowns, len(set(days)), sigma, tuple(block.block for block in blocks), days)

    def estimate(self, wanted: Wanted) -> Estimate:
        """Return the loss at the level that the blocks support.

        With a known floor the interval is over blocks, and the floor widens it; without one it is over
        sessions where these differ more than their blocks explain.
        """
        asked = {"confidence": wanted.confidence, "margin": wanted.margin}
        if self.sigma is None and self.sessions > 1 and self.days:
            blocks = zip(self.days, self.blocks, self.slowdowns, strict=True)
            return level_loss([BlockLoss("", str(day), str(b), d) for day, b, d in blocks], **asked).estimate
        floor = floor_half(self.sigma or 0.0, self.sessions, confidence=wanted.confidence)
        return paired_loss(self.slowdowns, floor=floor, **asked)


def standing(metered: Metered, wanted: Wanted) -> Standing:
    """Return whether a metric has what is wanted of it.

    From ``minimum_blocks`` blocks on. With a precision: half the interval's width is at most that, in at least
    ``sessions`` sessions; it can never be where the floor alone is wider over the sessions that are wanted.
    Without: a verdict stands, and not one that may be taken once only.

    Source:
        The rules and what they hold: ``docs/evidence``.

    Limits:
        A width that ends a run is reached a little early by chance; 10 blocks and several sessions keep the
        coverage within [0.93, 0.98] of 95 %.
    """
    goal, count = wanted.goal, len(metered.slowdowns)
    if count < goal.minimum_blocks:
        return Standing.GO_ON
    if goal.precision is not None and floor_to_come(metered, wanted) > goal.precision:
        return Standing.FLOOR
    if metered.sessions < goal.sessions:
        return Standing.GO_ON
    estimate = metered.estimate(wanted)
    if goal.precision is None:
        open_ = estimate.verdict is Verdict.INCONCLUSIVE or estimate.method.endswith(ONCE)
        return Standing.GO_ON if open_ else Standing.REACHED
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
