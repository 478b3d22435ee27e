"""How an activity ended before its last block, and the blocks that were added to it after that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.machines.floor import SiteFloor


@dataclass(frozen=True)
class FirstVerdict:
    """What a row said when its activity was extended.

    Attributes:
        workload: Name of the workload.
        metric: Name of the metric.
        treatment: Label of the treatment where there were several; else ``None``.
        blocks: Complete blocks.
        verdict: The verdict.
        loss: The loss; ``None`` where there was none, as of its ends.
        low: Lower end of its interval.
        high: Upper end of its interval.
    """

    workload: str
    metric: str
    treatment: str | None
    blocks: int
    verdict: str
    loss: float | None
    low: float | None
    high: float | None


class Ending(StrEnum):
    """Why an activity needed no further block."""

    REACHED = "reached"
    """Every metric has what was wanted."""
    NEVER = "never"
    """Every metric has it, or will not have it whatever number of blocks is run."""
    BUDGET = "budget"
    """The next block would end after the time budget."""
    EARLIER = "earlier"
    """By the rule of an earlier assay, which did not write down by which."""


@dataclass(frozen=True)
class Ended:
    """How an activity ended before its last block, as it was found then: a later rule does not change it.

    Attributes:
        why: Why no further block was needed.
        blocks: Blocks that it had then.
    """

    why: Ending
    blocks: int


@dataclass(frozen=True)
class Former:
    """What an extension put something else in the place of; it holds until a trial of the extension has a
    record.

    Attributes:
        blocks: Number of blocks, or the most of them.
        adaptive: It could end before its last block.
        floor: The A/A history that its intervals held.
        ended: How it had ended.
    """

    blocks: int
    adaptive: bool
    floor: SiteFloor | None
    ended: Ended | None


@dataclass(frozen=True)
class Extension:
    """Blocks that were added to a finished activity.

    Attributes:
        blocks: How many.
        after: Blocks that it had.
        at_ns: When, ns since 1970.
        said: What its rows said before.
        former: What of the plan it put something else in the place of; ``None`` where extensions did not say
            so yet.
    """

    blocks: int
    after: int
    at_ns: int
    said: tuple[FirstVerdict, ...] = ()
    former: Former | None = None
