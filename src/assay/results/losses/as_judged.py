"""The metrics of a result as that result judges them, to be estimated again at another confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.design import activity_state
from assay.design.ending import judged_rows, metered_of, wanted_of
from assay.design.extension import in_force
from assay.design.stopping import Metered, Wanted, each_of
from assay.design.sweep import views_of
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.figures.estimate import Estimate
from assay.model.trial import Trial

Key = tuple[str, str, str | None]
"""Workload, metric, and treatment where there are several."""


@dataclass(frozen=True)
class AsJudged:
    """One metric as its own result judges it.

    Attributes:
        metered: Its blocks.
        wanted: What was asked of it.
        strictest: Confidence of the strictest step among the rows of its result, by which its centre is
            chosen.
    """

    metered: Metered
    wanted: Wanted
    strictest: float

    def estimate(self, confidence: float) -> Estimate:
        """Return its loss, by the centre that its result chose, with an interval of this confidence alone."""
        return self.metered.estimate(self.wanted, confidence, self.strictest, alone=True)


def as_judged(plan: ActivityPlan, records: Sequence[Trial]) -> Mapping[Key, AsJudged]:
    """Return all metrics that bear a loss; arguments as ``outcome.build_page``."""
    asked = in_force(plan, records)
    wanted = wanted_of(asked, early=activity_state(asked, records) is ActivityState.INTERRUPTED)
    by_key: dict[Key, AsJudged] = {}
    for view in views_of(asked, records):
        treatment = view.plan.treatment.label if plan.more else None
        strictest = each_of(wanted, judged_rows(view.plan, view.records)).confidence
        for workload, metric, metered in metered_of(view.plan, view.records):
            by_key[workload, metric, treatment] = AsJudged(metered, wanted, strictest)
    return by_key
