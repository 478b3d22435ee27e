"""Which blocks run now: spread over sessions, and no more than the goal needs."""

from __future__ import annotations

from collections.abc import Sequence

from assay.design.blocks import sessions_of, spans_of
from assay.design.ending import ENDINGS, block_s, comparisons_of, ending_of, metered_of, wanted_of
from assay.design.predict import predict, session_share
from assay.design.stopping import estimates
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.model.units import format_seconds

LOOKS = 3
"""More metrics than this are counted, not listed, in one line on a look."""


def blocks_wanted(plan: ActivityPlan, records: Sequence[Trial]) -> int:
    """Return how many blocks the plan is expected to take in all, by what is known so far."""
    if not plan.goal.adaptive:
        return plan.blocks
    if ending_of(plan, records) is not None:
        return len(spans_of(records))
    predicted = predict(comparisons_of(plan, records), wanted_of(plan)).blocks
    least = max(plan.goal.minimum_blocks, len(spans_of(records)))
    return min(plan.blocks, max(least, predicted if predicted is not None else plan.blocks))


def next_session_s(plan: ActivityPlan, records: Sequence[Trial], *, now_s: float) -> float:
    """Return how long to wait before the next block, s; 0 where it may run now.

    A session takes its even share of the blocks that are expected to be left; the last one takes the rest.

    Args:
        plan: What was planned.
        records: All records so far.
        now_s: The controller's wall clock.
    """
    if plan.goal.sessions < 2 or not records or _under_way(plan, records):
        return 0.0
    spans = spans_of(records)
    sessions = sessions_of(records, gap_s=plan.goal.session_gap_s)
    current = max(sessions.values())
    here = sum(session == current for session in sessions.values())
    before = len(sessions) - here
    left = plan.goal.sessions - current
    expected = max(blocks_wanted(plan, records), plan.goal.sessions)
    if left < 2 or here < session_share(expected, before, left):
        return 0.0
    ended = max(end for _, end in spans.values())
    return max(0.0, ended + plan.goal.session_gap_s - now_s)


def _under_way(plan: ActivityPlan, records: Sequence[Trial]) -> bool:
    """Tell whether the newest block lacks trials: a session never ends within a block."""
    newest = max(record.planned.block for record in records)
    done = {record.planned.index for record in records}
    return any(trial.block == newest and trial.index not in done for trial in plan.trials)


def look_text(plan: ActivityPlan, records: Sequence[Trial]) -> str | None:
    """Return what the blocks so far say, one line for people; ``None`` before the first whole block."""
    from assay.pages.numbers import size_text

    compared = list(metered_of(plan, records))
    if not compared:
        return None
    blocks = max(len(metered.slowdowns) for _, _, metered in compared)
    losses = []
    wanted = wanted_of(plan, early=not plan.goal.adaptive)
    judged = [one for metrics in comparisons_of(plan, records) for one in estimates(metrics, wanted)]
    for (workload, metric, _), estimate in zip(compared[:LOOKS], judged, strict=False):
        losses.append(f"{workload} {metric} {size_text(estimate)}")
    more = f", and {len(compared) - LOOKS} more metrics" if len(compared) > LOOKS else ""
    return (
        f"after {blocks} block{'s' if blocks > 1 else ''}: loss of "
        f"{'; '.join(losses)}{more}{_left(plan, records)}"
    )


def _left(plan: ActivityPlan, records: Sequence[Trial]) -> str:
    """Say what is still to come, where the goal decides that."""
    if not plan.goal.adaptive:
        return ""
    ending = ending_of(plan, records)
    if ending is not None:
        return f"; ended: {ENDINGS[ending]}"
    wanted = blocks_wanted(plan, records)
    more = wanted - len(spans_of(records))
    about = "at most" if wanted == plan.blocks else "about"
    time = format_seconds(more * block_s(plan, records))
    return f"; {about} {more} more block{'' if more == 1 else 's'}, {time}" if more else "; the last block"
