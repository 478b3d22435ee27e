"""Which blocks run now: spread over sessions, and no more than the goal needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.design.blocks import sessions_of, spans_of
from assay.design.ending import ENDINGS, block_s, comparisons_of, ending_of, metered_of, wanted_of
from assay.design.predict import predict, session_share
from assay.design.stopping import estimates
from assay.design.sweep import views_of
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.model.units import format_seconds

LOOKS = 3
"""More metrics than this are counted, not listed, in one line on a look."""


@dataclass(frozen=True)
class LossNow:
    """What the blocks so far say of one metric.

    Attributes:
        workload: Name of the workload.
        metric: Name of the metric.
        treatment: Label of the treatment where there are several; ``None`` where there is one.
        blocks: Blocks that it was measured in.
        loss: Its loss, a fraction; ``None`` where it is not known.
        low: Lower end of its interval; ``None`` below two blocks.
        high: Upper end of its interval; ``None`` below two blocks.
    """

    workload: str
    metric: str
    treatment: str | None
    blocks: int
    loss: float | None
    low: float | None
    high: float | None

    @property
    def name(self) -> str:
        """The metric, with the treatment where there are several."""
        return self.metric if self.treatment is None else f"{self.metric}, {self.treatment}"


def losses_now(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[LossNow, ...]:
    """Return what the blocks so far say of each metric; none before the first whole block."""
    return tuple(_losses(plan, records))


def _losses(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[LossNow]:
    wanted = wanted_of(plan, early=not plan.goal.adaptive)
    for view in views_of(plan, records):
        rows = list(metered_of(view.plan, view.records))
        label = view.plan.treatment.label if plan.more else None
        judged = estimates([metered for _, _, metered in rows], wanted)
        for (workload, metric, metered), found in zip(rows, judged, strict=True):
            blocks = len(metered.slowdowns)
            yield LossNow(workload, metric, label, blocks, found.loss, found.low, found.high)


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


def look_text(
    plan: ActivityPlan, records: Sequence[Trial], losses: Sequence[LossNow] | None = None
) -> str | None:
    """Return what the blocks so far say, one line for people; ``None`` before the first whole block.

    Args:
        plan: The plan.
        records: The records so far.
        losses: What ``losses_now`` says of these; ``None`` asks it.
    """
    from assay.pages.numbers import size_text

    found = losses_now(plan, records) if losses is None else losses
    if not found:
        return None
    blocks = max(one.blocks for one in found)
    said = "; ".join(f"{one.workload} {one.name} {size_text(one)}" for one in found[:LOOKS])
    more = f", and {len(found) - LOOKS} more metrics" if len(found) > LOOKS else ""
    return f"after {blocks} block{'s' if blocks > 1 else ''}: loss of {said}{more}{_left(plan, records)}"


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
