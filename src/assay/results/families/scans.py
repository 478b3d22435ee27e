"""Fixed cost and slope of each family of workloads that was measured at several event numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.design.barred import difference
from assay.design.cost import TRIAL_OVERHEAD_S
from assay.design.sizes import expected_halves, guesses, plan_sizes
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt
from assay.model.figures.scan import Point, Scan
from assay.model.trial import Arm, State, Trial
from assay.model.work.workload import Workload
from assay.pages.context import DoubtCount
from assay.pages.families.events import EventScan
from assay.report.doubts import counted, named
from assay.report.tables.scan_words import advice_text
from assay.results.families.shown_scan import shown_checks, shown_curve, shown_part, shown_sizes
from assay.results.losses.figures import usage_on_host_clock
from assay.stats.lines.scan import scan

WORTH_SAYING = 0.85
"""Other event numbers are advised where they bring the wider interval down to this share."""


@dataclass(frozen=True)
class ScanWithDoubts:
    """A scan of one family: what the report says, and what speaks against it."""

    shown: EventScan
    doubts: tuple[Doubt, ...]


def event_scans(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[ScanWithDoubts]:
    """Yield the scan of each family with two or more event numbers that has times on both arms.

    A time is the job's wall time on the host's clock, from the first release to the last end.
    """
    for family in dict.fromkeys(w.family for w in plan.workloads if w.family is not None):
        events = _event_numbers(plan.workloads, family)
        if any(difference(records, workload) for workload in events):
            continue  # other work on one arm: its times are no curve of the same job
        arms = [_points(records, events, arm) for arm in Arm]
        if len(set(events.values())) > 1 and all(arms):
            fit = scan(*arms, confidence=plan.confidence, margin=plan.margin)
            yield ScanWithDoubts(show_scan(family, fit), tuple(named(family, fit.doubts)))


def _event_numbers(workloads: Sequence[Workload], family: str) -> dict[str, int]:
    return {w.name: w.events for w in workloads if w.family == family and w.events is not None}


def _points(records: Sequence[Trial], events: dict[str, int], arm: Arm) -> list[Point]:
    points = []
    for record in sorted(records, key=lambda record: record.planned.index):
        trial = record.planned
        if trial.arm is arm and trial.workload in events and record.state is State.ENDED:
            usage = usage_on_host_clock(record)
            if usage is not None and usage.wall_s > 0:
                points.append(Point(trial.block, events[trial.workload], usage.wall_s))
    return points


def scan_doubts(scans: Sequence[ScanWithDoubts]) -> Iterator[DoubtCount]:
    """Yield what speaks against the scans."""
    for scanned in scans:
        yield from map(counted, scanned.doubts)


def show_scan(family: str, fit: Scan) -> EventScan:
    """Return a scan as the report says it."""
    return EventScan(
        workload=family,
        blocks=fit.blocks,
        fixed_cost_s=shown_part(fit.fixed_cost_s),
        per_event_s=shown_part(fit.per_event_s),
        asymptote=fit.asymptote,
        noise=fit.noise,
        margin=fit.margin,
        events_within_margin=fit.events_within_margin,
        curve=shown_curve(fit),
        sizes=shown_sizes(fit),
        linearity=shown_checks(fit),
        advice=_advice(fit),
    )


def _advice(fit: Scan) -> str | None:
    """Return which event numbers would know both losses better for the same time."""
    arms = guesses(fit)
    if arms is None or not fit.noise:
        return None
    runs = {size.events: size.blocks for size in fit.sizes}
    planned = plan_sizes(
        arms,
        noise=fit.noise,
        budget_s=sum(s.blocks * (s.baseline_s + s.treatment_s + 2 * TRIAL_OVERHEAD_S) for s in fit.sizes),
        allowed=(min(runs), max(runs)),
        overhead_s=TRIAL_OVERHEAD_S,
    )
    here = expected_halves(arms, runs, noise=fit.noise)
    if planned is None or planned.expected.worst > WORTH_SAYING * here.worst:
        return None
    return advice_text(planned, here)
