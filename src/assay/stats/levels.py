"""Which level of the hierarchy an interval is taken at: blocks, sessions or machines."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from assay.model.doubt import Doubt
from assay.model.estimate import Estimate
from assay.model.units import format_spread
from assay.stats.centre import spread_of
from assay.stats.components import Components, components
from assay.stats.fleet import fleet_loss
from assay.stats.paired import middle_of, paired_loss

SESSIONS_DIFFER = 0.05
"""Chance below which sessions that are all alike would differ so much."""
ROUNDING = 1e-12
"""Spread of log slowdowns that the rounding of values leaves."""


class Level(StrEnum):
    """What counts once in an interval."""

    BLOCK = "block"
    SESSION = "session"
    MACHINE = "machine"


@dataclass(frozen=True)
class BlockLoss:
    """The log slowdown of one block.

    Attributes:
        machine: Its machine; empty where the data do not tell.
        session: Its session; empty where the data do not tell.
        block: Its name inside the session.
        d: Log slowdown, finite.
    """

    machine: str
    session: str
    block: str
    d: float


@dataclass(frozen=True)
class LevelLoss:
    """A loss with the level at which its interval was taken.

    Attributes:
        estimate: The loss; ``blocks`` counts blocks whatever the level.
        scope: What it holds for: ``this-session``, ``this-machine``, ``fleet(N)``.
        level: What counts once in the interval.
        sessions: Number of sessions, over all machines.
        machines: Number of machines.
        components: Scatter between groups and inside; the groups are machines where there are several,
            else sessions.
    """

    estimate: Estimate
    scope: str
    level: Level
    sessions: int
    machines: int
    components: Components


def level_loss(
    blocks: Sequence[BlockLoss], *, confidence: float = 0.95, margin: float = 0.0, floor: float = 0.0
) -> LevelLoss:
    """Estimate a loss at the level that the data support.

    Several machines are a fleet, whose interval is over machines. On one machine the interval is over
    blocks, unless its sessions differ more than their blocks explain (F test at 5 %): then it is over
    sessions, each of which counts once.

    Args:
        blocks: Complete blocks, in any order.
        confidence: Coverage of the two-sided interval, 0 < confidence < 1.
        margin: Loss that does not matter, a ratio >= 0.
        floor: Half-width of what blocks of a session share, in log units; for intervals over blocks.

    Source:
        Cluster means: A. Donner, N. Klar, "Design and Analysis of Cluster Randomization Trials" (2000),
        section 7.2; the F test: ``stats.components``.

    Limits:
        Differences between few sessions are seen only where they are large, and one session shows none: at
        5 sessions of 5 blocks and a nominal 95 % it covers 97 % where sessions are alike, 90 % where they
        scatter as much as blocks do (an interval over blocks 75 %), 96 % (64 %) where twice as much.
        What the sessions of a machine of a fleet share is not looked at.
    """
    values = [block.d for block in blocks]
    machines = _groups(blocks, [block.machine for block in blocks])
    days = [(block.machine, block.session) for block in blocks]
    sessions = _groups(blocks, days)
    if len(machines) > 1:
        parts = components(values, [block.machine for block in blocks])
        found = fleet_loss(_named(machines), confidence=confidence, margin=margin)
        return LevelLoss(found, f"fleet({len(machines)})", Level.MACHINE, len(sessions), len(machines), parts)
    parts = components(values, days) if values else Components(0, None, None, None)
    scope = "this-machine" if len(sessions) > 1 else "this-session"
    if _differ(parts, values):
        found, level = _over_sessions(list(sessions.values()), parts, confidence, margin), Level.SESSION
    else:
        level = Level.BLOCK
        found = paired_loss(values, confidence=confidence, margin=margin, floor=floor)
    return LevelLoss(found, scope, level, len(sessions), len(machines), parts)


def _groups(blocks: Sequence[BlockLoss], keys: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    groups: dict[Hashable, list[float]] = {}
    for block, key in zip(blocks, keys, strict=True):
        groups.setdefault(key, []).append(block.d)
    return groups


def _named(groups: Mapping[Hashable, Sequence[float]]) -> dict[str, Sequence[float]]:
    return {str(name): values for name, values in groups.items()}


def _differ(parts: Components, values: Sequence[float]) -> bool:
    if parts.chance is None or spread_of(values) <= ROUNDING:
        return False
    return parts.chance < SESSIONS_DIFFER


def _over_sessions(
    sessions: Sequence[Sequence[float]], parts: Components, confidence: float, margin: float
) -> Estimate:
    """Estimate from one centre a session; blocks do not bring a verdict here, further sessions would."""
    found = paired_loss([middle_of(values) for values in sessions], confidence=confidence, margin=margin)
    blocks = sum(len(values) for values in sessions)
    return replace(
        found,
        blocks=blocks,
        blocks_more=None,
        method=f"over {len(sessions)} sessions: {found.method}",
        doubts=(*found.doubts, _doubt(parts)),
    )


def _doubt(parts: Components) -> Doubt:
    sentence = (
        f"The {parts.sessions} sessions differ more than their blocks explain (F test, chance {parts.chance:.1g}; "
        f"standard deviations {format_spread(parts.session or 0)} between sessions, "
        f"{format_spread(parts.block or 0)} between blocks of one): the interval is over sessions."
    )
    return Doubt(
        "sessions-differ", sentence, "Measure in further sessions: more blocks in the same ones add little."
    )
