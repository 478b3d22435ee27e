"""An activity of several treatments as several of one treatment each, over the same baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.design.blocks import PartOf
from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, PlannedTrial, Trial


@dataclass(frozen=True)
class View:
    """One treatment of a plan with the baseline that it is compared with.

    Attributes:
        plan: The plan as if this were its only treatment; trials keep their place in the whole.
        records: The records of these trials; times of blocks and sessions are those of the whole activity.
        level: Which treatment, from 0.
    """

    plan: ActivityPlan
    records: tuple[Trial, ...]
    level: int


def views_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[View, ...]:
    """Return a view of each treatment, in their order; of a single one the plan and records as they are."""
    if not plan.more:
        return (View(plan, records if isinstance(records, PartOf) else tuple(records), 0),)
    return tuple(_views(plan, records))


def _views(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[View]:
    for level, treatment in enumerate(plan.treatments):
        trials = tuple(trial for trial in plan.trials if within(trial, level))
        own = (record for record in records if within(record.planned, level))
        yield View(replace(plan, treatment=treatment, more=(), trials=trials), PartOf(own, records), level)


def within(trial: PlannedTrial, level: int) -> bool:
    """Tell whether a trial is of the baseline or of one treatment."""
    return trial.arm is Arm.BASELINE or trial.level == level
