"""The form of a design: how precisely is asked. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from pydantic import Field

from assay.model.goal import WAIT_QUIET_S
from assay.scenes.forms.base import Form
from assay.scenes.forms.fields import (
    Blocks,
    Confidence,
    HeadlineWord,
    LeastBlocks,
    Margin,
    MostBlocks,
    Precision,
    Reference,
    RerunCause,
    Seed,
    SessionGap,
    Sessions,
    ShapeWord,
    TimeBudget,
    WaitQuiet,
)


class DesignForm(Form):
    """How precisely is asked."""

    blocks: Blocks = Field(default=None, description="blocks of trials, each with both arms; 3 where absent")
    confidence: Confidence = Field(default=0.95, description="coverage of the intervals, like '95 %'")
    margin: Margin = Field(default=0.02, description="loss that does not matter, like '2 %'")
    seed: Seed = Field(default=None, description="of the order of trials; drawn where absent")
    maximum_blocks: MostBlocks = Field(
        default=None, alias="maximum-blocks", description="ends earlier, as soon as the goal is reached"
    )
    minimum_blocks: LeastBlocks = Field(
        default=None, alias="minimum-blocks", description="fewer are never enough; 5, with a precision 10"
    )
    precision: Precision = Field(
        default=None, description="wanted half-width of the intervals, like '0.5 %'; else a verdict is wanted"
    )
    time_budget: TimeBudget = Field(
        default=None, alias="time-budget", description="no block is begun that would end later, like '8 h'"
    )
    sessions: Sessions = Field(default=1, description="sessions over which the blocks are spread")
    session_gap: SessionGap = Field(
        default=3600.0, alias="session-gap", description="time without trials between two sessions"
    )
    shape: ShapeWord = Field(
        default=None, description="how the visits of a block lie; double, with a goal auto"
    )
    reference: Reference = Field(
        default=None, description="workload by which a difference of the hardware is taken out"
    )
    score: bool = Field(
        default=False, description="a score over all workloads, their geometric mean; the baseline scores 1"
    )
    headline: HeadlineWord = Field(
        default="typical",
        description="the loss of the typical run, or of the total of all, outliers included",
    )
    rerun: list[RerunCause] = Field(
        default=[], description="disturbances of the host for which a trial is rejected and run again"
    )
    wait_quiet: WaitQuiet = Field(
        default=WAIT_QUIET_S,
        alias="wait-quiet",
        description="time to wait until others leave the processors alone",
    )
    require_quiet: bool = Field(
        default=False, alias="require-quiet", description="begin nothing where they do not"
    )
