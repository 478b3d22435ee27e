"""How the trials of a result were laid out and judged."""

from __future__ import annotations

from collections.abc import Sequence

from assay.design.blocks import sessions_of
from assay.design.ending import comparisons_of, judged_rows, metered_of, wanted_of
from assay.design.stopping import decides_from, judged, ranks_from
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Looks
from assay.model.goal import Headline
from assay.model.trial import Trial
from assay.pages.method.design import Blocks, Design, Typical
from assay.stats.replication.paired import TYPICAL_FROM


def design_of(plan: ActivityPlan, records: Sequence[Trial]) -> Design:
    """Return how trials were laid out and judged."""
    return Design(
        baseline=plan.baseline.label,
        treatments=tuple(arm.label for arm in plan.treatments),
        blocks=_blocks(plan, records),
        seed=plan.seed,
        goal=plan.goal,
        confidence=plan.confidence,
        margin=plan.margin,
        typical=None if plan.goal.headline is Headline.TOTAL else _typical(plan, records),
        extended=plan.extended,
        own_hosts=tuple(
            (arm.label, plan.host_of(arm).label) for arm in plan.treatments if arm.over is not None
        ),
    )


def _blocks(plan: ActivityPlan, records: Sequence[Trial]) -> Blocks:
    sessions = sessions_of(records, gap_s=plan.goal.session_gap_s)
    count = len(set(sessions.values()))
    return (
        Blocks(len(sessions), plan.blocks, count) if plan.goal.adaptive else Blocks(plan.blocks, None, count)
    )


def _typical(plan: ActivityPlan, records: Sequence[Trial]) -> Typical:
    rows, looks = judged_rows(plan, records), wanted_of(plan).looks
    every = looks is Looks.EVERY
    exact = (decides_from if every else ranks_from)(plan.confidence, rows)
    over, all_over = _over_sessions(plan, records)
    return Typical(max(TYPICAL_FROM, exact) if every else exact, exact, rows, looks, over, all_over)


def _over_sessions(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[tuple[str, ...], bool]:
    """Return the metrics whose interval is over sessions, and whether these are all."""
    wanted = wanted_of(plan)
    outcomes = [one for metrics in comparisons_of(plan, records) for one in judged(metrics, wanted)]
    named = zip(metered_of(plan, records), outcomes, strict=True)
    over = tuple(f"{w} {m}" for (w, m, _), one in named if one.estimate.method.startswith("over "))
    return over, len(over) == len(outcomes)
