"""An activity of several treatments as several of one each, over the baseline or over its own host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from assay.design.blocks import PartOf
from assay.design.remembered import remembered
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.trial import Arm, PlannedTrial, Trial


@dataclass(frozen=True)
class View:
    """One treatment of a plan with what it is compared with.

    Attributes:
        plan: The plan as if this were its only treatment, and what it is compared with the baseline; trials
            keep their place in the whole, and their name.
        records: The records of these trials; times of blocks and sessions are those of the whole activity.
        level: Which treatment, from 0.
    """

    plan: ActivityPlan
    records: tuple[Trial, ...]
    level: int


@remembered
def views_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[View, ...]:
    """Return a view of each treatment, in their order; of a single one the plan and records as they are."""
    if not plan.more:
        return (View(plan, records if isinstance(records, PartOf) else tuple(records), 0),)
    return tuple(_views(plan, records))


def _views(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[View]:
    for level, treatment in enumerate(plan.treatments):
        trials = tuple(_seen(trial, treatment) for trial in plan.trials if within(plan, trial, level))
        own = (_shown(record, treatment) for record in records if within(plan, record.planned, level))
        base = plan.host_of(treatment)
        alone = replace(plan, baseline=base, treatment=replace(treatment, over=None), more=(), trials=trials)
        yield View(alone, PartOf(own, records), level)


def within(plan: ActivityPlan, trial: PlannedTrial, level: int) -> bool:
    """Tell whether a trial is of one treatment, or of what that is compared with."""
    if trial.arm is Arm.BASELINE:
        return plan.treatments[level].over is None
    return trial.level in {level, plan.treatments[level].over}


@dataclass(frozen=True)
class _OwnHost(PlannedTrial):
    """A trial of a treatment as that of the baseline of another; its files keep their name.

    Attributes:
        called: Its name.
    """

    called: str = ""

    @property
    def name(self) -> str:
        """Name of its record's folder."""
        return self.called


def _seen(trial: PlannedTrial, treatment: PlannedArm) -> PlannedTrial:
    """Return a trial as one of its treatment sees it: that of its own host is the baseline's."""
    if treatment.over is None or trial.level != treatment.over:
        return trial
    shown = asdict(replace(trial, arm=Arm.BASELINE, level=0))
    return _OwnHost(**shown, called=trial.name)


def _shown(record: Trial, treatment: PlannedArm) -> Trial:
    seen = _seen(record.planned, treatment)
    return record if seen is record.planned else replace(record, planned=seen)
