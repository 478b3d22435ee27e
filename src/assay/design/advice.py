"""What keeps a result from its precision, and what would help most for the least."""

from __future__ import annotations

import math

from assay.design.stopping import Metered, Wanted, floor_to_come, half_width, slowdown_of
from assay.model.doubt import Raised, raised
from assay.stats.replication.components import Components, Floor

MOST_SESSIONS = 60
"""Nobody measures on more days than these for one number."""
TAIL_RATIO = 1.25
"""The mean's interval is wider than the headline's by more than this where slow outliers dominate."""


def advice_of(metered: Metered, parts: Components, wanted: Wanted) -> Raised:
    """Return what dominates the width of an interval that is wider than wanted: floor, sessions, outliers or
    blocks.

    Args:
        metered: The metric's blocks.
        parts: Their variance components by session.
        wanted: What was asked, at the confidence by which it is judged among others.

    Source:
        The order in which more sessions, isolation and more blocks pay: the simulations in ``docs/evidence``.
    """
    target = wanted.goal.precision
    floor, sessions = floor_to_come(metered, wanted), max(metered.sessions, wanted.goal.sessions)
    if metered.floor and target is not None and floor > target:
        needed = _needed(metered, metered.floor, wanted)
        return raised("precision-not-reached", case="floor", half=floor, sessions=sessions, needed=needed)
    if parts.session and parts.block and _session_share(parts, metered) > 0.5:
        return raised("precision-not-reached", case="session", between=parts.session, within=parts.block)
    if _outliers(metered, wanted):
        return raised("precision-not-reached", case="outlier")
    return raised("precision-not-reached", case="white", scatter=parts.block)


def sessions_needed(
    floor: Floor, precision: float, *, confidence: float = 0.95, slowdown: float = 1.0
) -> int | None:
    """Return the fewest sessions over which the floor alone is at most the precision.

    Args:
        floor: In log units.
        precision: Half-width of the loss, a ratio.
        confidence: Coverage of the interval.
        slowdown: Of the metric: a width in log units is one of the loss over it.
    """
    halves = ((count, floor.half(count, confidence=confidence)) for count in range(1, MOST_SESSIONS + 1))
    return next((count for count, half in halves if half / slowdown <= precision), None)


def _needed(metered: Metered, floor: Floor, wanted: Wanted) -> int | None:
    precision, slowdown = wanted.goal.precision or math.inf, slowdown_of(metered, wanted)
    return sessions_needed(floor, precision, confidence=wanted.confidence, slowdown=slowdown)


def _session_share(parts: Components, metered: Metered) -> float:
    """Return the part of the variance of the overall mean that comes from sessions."""
    session = (parts.session or 0.0) ** 2 / parts.sessions
    block = (parts.block or 0.0) ** 2 / len(metered.slowdowns)
    return session / (session + block) if session + block else 0.0


def _outliers(metered: Metered, wanted: Wanted) -> bool:
    estimate = metered.estimate(wanted)
    half = half_width(estimate)
    if half is None or estimate.mean is None or estimate.mean.low is None or estimate.mean.high is None:
        return False
    return (estimate.mean.high - estimate.mean.low) / 2 > TAIL_RATIO * half
