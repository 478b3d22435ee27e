"""Which level of the hierarchy an interval is taken at: blocks, sessions or machines."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.model.figures.estimate import Estimate
from assay.stats.replication.components import Components, components
from assay.stats.replication.fleet import fleet_loss
from assay.stats.replication.resolution import Resolution
from assay.stats.replication.sessions import Asked, session_loss, unless_hidden


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
    blocks: Sequence[BlockLoss],
    *,
    confidence: float = 0.95,
    margin: float = 0.0,
    resolution: Resolution | None = None,
) -> LevelLoss:
    """Estimate a loss at the level that the data support.

    Several machines are a fleet, whose interval is over machines. On one machine it is over blocks or over
    sessions (``stats.replication.sessions``).

    Args:
        blocks: Complete blocks, in any order.
        confidence: Coverage of the two-sided interval, 0 < confidence < 1.
        margin: Loss that does not matter, a ratio from 0 to below 1.
        resolution: How finely the values were told; ``None`` where nothing is seen of it.

    Limits:
        What the sessions of a machine of a fleet share is not looked at.
    """
    values = [block.d for block in blocks]
    machines = _groups(blocks, [block.machine for block in blocks])
    days = [(block.machine, block.session) for block in blocks]
    sessions = len(set(days))
    if len(machines) > 1:
        shift = resolution.shift if resolution else 0.0
        parts = components(values, [block.machine for block in blocks])
        estimate = fleet_loss(_named(machines), confidence=confidence, margin=margin, floor=shift)
        estimate = unless_hidden(estimate, resolution)
        return LevelLoss(estimate, f"fleet({len(machines)})", Level.MACHINE, sessions, len(machines), parts)
    of = session_loss(values, days, Asked(confidence, margin, resolution=resolution))
    scope = "this-machine" if sessions > 1 else "this-session"
    level = Level.SESSION if of.over_sessions else Level.BLOCK
    return LevelLoss(of.estimate, scope, level, sessions, len(machines), of.components)


def _groups(blocks: Sequence[BlockLoss], keys: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    groups: dict[Hashable, list[float]] = {}
    for block, key in zip(blocks, keys, strict=True):
        groups.setdefault(key, []).append(block.d)
    return groups


def _named(groups: Mapping[Hashable, Sequence[float]]) -> dict[str, Sequence[float]]:
    return {str(name): values for name, values in groups.items()}
