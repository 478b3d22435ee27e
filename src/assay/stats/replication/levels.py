"""Which level of the hierarchy an interval is taken at: blocks, sessions or machines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from assay.model.figures.estimate import Estimate
from assay.stats.groups import grouped
from assay.stats.replication.components import Components, components
from assay.stats.replication.fleet import fleet_loss
from assay.stats.replication.resolution import Resolution
from assay.stats.replication.sessions import Asked, session_loss, unless_hidden

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


class Level(StrEnum):
    """What counts once in an interval."""

    BLOCK = "block"
    SESSION = "session"
    MACHINE = "machine"


@dataclass(frozen=True, eq=False)
class BlockLosses:
    """The log slowdowns of blocks; columns of one length.

    Attributes:
        machine: A number for the machine of each, shape (blocks,).
        session: A number for its session; those of two machines are two.
        d: Log slowdown, finite.
    """

    machine: Places
    session: Places
    d: Numbers


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
    blocks: BlockLosses,
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
    import numpy as np

    machines = len(np.unique(blocks.machine))
    sessions = len(np.unique(blocks.session))
    if machines > 1:
        shift = resolution.shift if resolution else 0.0
        parts = components(blocks.d, blocks.machine)
        by_machine = {str(at): d for at, d in enumerate(grouped(blocks.d, blocks.machine))}
        estimate = fleet_loss(by_machine, confidence=confidence, margin=margin, floor=shift)
        estimate = unless_hidden(estimate, resolution)
        return LevelLoss(estimate, f"fleet({machines})", Level.MACHINE, sessions, machines, parts)
    asked = Asked(confidence, margin, resolution=resolution)
    of = session_loss(blocks.d, blocks.session, asked)
    scope = "this-machine" if sessions > 1 else "this-session"
    level = Level.SESSION if of.over_sessions else Level.BLOCK
    return LevelLoss(of.estimate, scope, level, sessions, machines, of.components)
