"""When an activity has measured enough, and what it may measure again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.work.disturbance import Cause


class Shape(StrEnum):
    """How the visits of a block lie (``docs/scenes.md``).

    ``DOUBLE``: two visits to the baseline and one to the treatment, which gives each run its own noise
    floor. ``PAIRS``: one visit each. ``CHAINED``: the same, every second block the other way round, so that
    neighbours share a visit. ``AUTO``: pairs or chained, by what a switch costs.
    """

    DOUBLE = "double"
    PAIRS = "pairs"
    CHAINED = "chained"
    AUTO = "auto"


class Headline(StrEnum):
    """What the headline is the loss of: the typical run, or all runs together with their outliers."""

    TYPICAL = "typical"
    TOTAL = "total"


WAIT_QUIET_S = 60.0
"""What a scene waits unless it says otherwise."""


@dataclass(frozen=True)
class Goal:
    """What ends an activity before its last block, and how its blocks are spread.

    Attributes:
        adaptive: It may end before its last block; otherwise the number of blocks is the goal.
        precision: Half-width of the intervals that is wanted, a ratio; ``None`` wants a verdict.
        minimum_blocks: Fewer are never enough.
        time_budget_s: No block is begun that would end later; ``None`` is "no limit".
        sessions: Sessions over which the blocks are spread.
        session_gap_s: Time without trials that separates two sessions.
        shape: How the visits of a block lie; never ``AUTO`` in a plan.
        reference: Name of the workload by which a difference of the hardware is taken out; ``None`` is
            "none".
        rerun: Causes for which a trial is rejected and run again; none of them by default.
        score: A geometric mean over all workloads is shown, as benchmark suites form one.
        runs: Runs of each workload in one visit; trials of one boot are not independent.
        headline: What the headline is the loss of.
        wait_quiet_s: Time that is waited in all until others leave the measured processors alone; a plan that
            tells none is of an earlier assay, which did not look.
        require_quiet: Where they do not, nothing is begun.
    """

    adaptive: bool = False
    precision: float | None = None
    minimum_blocks: int = 6
    time_budget_s: float | None = None
    sessions: int = 1
    session_gap_s: float = 3600.0
    shape: Shape = Shape.DOUBLE
    reference: str | None = None
    rerun: tuple[Cause, ...] = ()
    runs: int = 1
    score: bool = False
    headline: Headline = Headline.TYPICAL
    wait_quiet_s: float = 0.0
    require_quiet: bool = False
