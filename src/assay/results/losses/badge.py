"""The A/A history of the site, as a result shows it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from assay.design.site_floor import most_false
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.context import Badge, BadgeMetric


def badge_of(plan: ActivityPlan, records: Sequence[Trial]) -> Badge | None:
    """Return what the site's history says to whoever reads a result; ``None`` where there was none."""
    floor = plan.floor
    if floor is None:
        return None
    works = {workload.name: workload.work for workload in plan.workloads}
    shown = {(works[r.planned.workload], m.metric.name) for r in records for m in r.measurements}
    metrics = tuple(
        BadgeMetric(one.workload, one.metric, one.sessions, one.blocks, one.session, one.block)
        for one in floor.metrics
        if (one.work, one.metric) in shown
    )
    return Badge(
        machine=floor.machine,
        taken=datetime.fromtimestamp(floor.taken_ns / 1e9, UTC).isoformat(timespec="seconds"),
        campaigns=floor.campaigns,
        false_verdicts=floor.false_verdicts,
        most_false=most_false(floor.campaigns, floor.false_verdicts),
        metrics=metrics,
    )
