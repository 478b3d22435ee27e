"""Can the goal of a plan be reached? Asked before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.design.advice import sessions_needed
from assay.design.ending import wanted_of
from assay.design.site_floor import floor_known
from assay.design.stopping import decides_from, each_of
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt, Raised, raised
from assay.model.errors import AssayError
from assay.report.doubts import worded
from assay.report.doubts.plans import shared_text
from assay.stats.replication.components import Floor
from assay.stats.replication.sessions import ENOUGH


def check_goal(plan: ActivityPlan) -> tuple[Doubt, ...]:
    """Refuse a goal that cannot be reached, and return what speaks against reaching it.

    Metrics are judged together, so that each needs the confidence of the strictest step.

    Raises:
        AssayError: The most blocks bring no verdict, or the site's A/A floor forbids the precision.
    """
    if not plan.goal.adaptive:
        return ()
    if plan.goal.precision is None:
        _check_maximum(plan)
        return ()
    return tuple(map(worded, _floor_ahead(plan, plan.goal.precision)))


def metrics_planned(plan: ActivityPlan) -> list[tuple[str, str, str]]:
    """Return the work, the name and the workload of each metric that the workloads of a plan promise."""
    return [(one.work, metric.name, one.name) for one in plan.workloads for metric in one.metrics]


def _check_maximum(plan: ActivityPlan) -> None:
    count = len(metrics_planned(plan))
    needed = decides_from(plan.confidence, count)
    if plan.blocks < needed:
        what = "one metric takes" if count < 2 else f"{count} metrics, which are judged together, take"
        msg = (
            f"cannot decide within {plan.blocks} blocks that are looked at one by one: {what} "
            f"{needed} at least at {100 * plan.confidence:.4g} %"
        )
        hint = f"design: {{maximum-blocks: {needed}}}, or a fixed number of blocks (blocks: {plan.blocks})"
        raise AssayError(msg, hint=hint)
    if count > 1 and ENOUGH <= plan.goal.sessions < needed and _lowest_floor(plan) is None:
        msg = (
            f"cannot decide over {plan.goal.sessions} sessions that are looked at one by one: "
            f"{count} metrics, which are "
            f"judged together, take {needed} sessions at least, or the site's A/A floor"
        )
        raise AssayError(msg, hint="design: {sessions: 2}, or a fixed number of blocks")


def _floor_ahead(plan: ActivityPlan, precision: float) -> Iterator[Raised]:
    """Say that the floor alone is above the precision for every metric of a treatment no slower than its
    baseline.

    It is refused only where not even the most sessions that anybody measures in would do: of a treatment that
    is slow enough the loss is known better than its logarithm, and otherwise the floor ends it after the
    least blocks.
    """
    level = each_of(wanted_of(plan), len(metrics_planned(plan))).confidence
    best, sessions = _lowest_floor(plan), plan.goal.sessions
    if best is None or (half := best.half(sessions, confidence=level)) <= precision:
        return
    needed = sessions_needed(best, precision, confidence=level)
    if needed is None:
        msg = f"cannot reach ±{precision:.2%}: {shared_text(half, sessions)}"
        raise AssayError(
            msg, hint="isolate the host, or ask for less precision: no number of sessions would reach it"
        )
    yield raised(
        "floor-above-precision",
        case="ahead",
        precision=precision,
        half=half,
        sessions=sessions,
        needed=needed,
        slower=math.ceil(10 * half / precision) / 10,
    )


def _lowest_floor(plan: ActivityPlan) -> Floor | None:
    """Return the lowest floor of a plan's metrics; ``None`` where one of them has none that is known."""
    known = [floor_known(plan.floor, *name) for name in metrics_planned(plan)]
    floors = [one for one in known if one is not None]
    return min(floors, key=lambda one: one.half(1)) if floors and len(floors) == len(known) else None
