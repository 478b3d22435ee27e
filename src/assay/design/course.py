"""How the loss of each metric narrowed: its estimate after each block, judged as it was at that look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.design.ending import comparisons_of, metered_of, wanted_of
from assay.design.remembered import remembering
from assay.design.state import activity_state
from assay.design.stopping import Metered, estimates
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.figures.estimate import Verdict
from assay.model.trial import Trial

MOST_LOOKS = 40
"""Looks that are told of a metric; of more blocks they are spread evenly."""


@dataclass(frozen=True)
class Look:
    """The loss after so many blocks; ratios.

    Attributes:
        blocks: Complete blocks.
        loss: The estimate.
        low: Lower end of its interval; ``None`` below two blocks.
        high: Upper end of its interval; ``None`` below two blocks.
        verdict: What that says.
    """

    blocks: int
    loss: float | None
    low: float | None
    high: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Course:
    """How the loss of one metric narrowed.

    Attributes:
        workload: Name of the workload.
        metric: Name of the metric, with the treatment where there are several.
        looks: The estimates, after fewer blocks first; one at least.
    """

    workload: str
    metric: str
    looks: tuple[Look, ...]

    @property
    def now(self) -> Look:
        """The newest look."""
        return self.looks[-1]


def courses_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[Course, ...]:
    """Return how the loss of each metric narrowed; none before the first whole block.

    A look that was not declared is judged as one after every block, whose intervals are wider. The last look
    of a plan that is over is judged as its result is.

    Args:
        plan: The plan.
        records: All records so far.
    """
    with remembering():
        names = [(workload, metric) for workload, metric, _ in metered_of(plan, records)]
        over = activity_state(plan, records) is not ActivityState.INTERRUPTED
        looks = [one for metrics in comparisons_of(plan, records) for one in _looks(plan, metrics, over=over)]
    return tuple(Course(*name, of) for name, of in zip(names, looks, strict=True))


def _looks(plan: ActivityPlan, metrics: Sequence[Metered], *, over: bool) -> list[tuple[Look, ...]]:
    """Return the looks at each of the metrics that are judged together."""
    found: list[dict[int, Look]] = [{} for _ in metrics]
    most = max((len(one.slowdowns) for one in metrics), default=0)
    early, last = wanted_of(plan, early=not plan.goal.adaptive), wanted_of(plan)
    for count in _counts(most):
        wanted = last if over and count == most else early
        judged = estimates([_first(one, count) for one in metrics], wanted)
        for looks, estimate in zip(found, judged, strict=True):
            look = Look(estimate.blocks, estimate.loss, estimate.low, estimate.high, estimate.verdict)
            looks[estimate.blocks] = look
    return [tuple(looks.values()) for looks in found]


def _counts(most: int) -> list[int]:
    """Return the numbers of blocks after which is looked, the last one with them."""
    if most <= MOST_LOOKS:
        return list(range(1, most + 1))
    return [round(1 + at * (most - 1) / (MOST_LOOKS - 1)) for at in range(MOST_LOOKS)]


def _first(metered: Metered, count: int) -> Metered:
    """Return a metric's first so many blocks."""
    labels = metered.labels[:count]
    return replace(
        metered,
        slowdowns=metered.slowdowns[:count],
        labels=labels,
        times=metered.times[:count],
        sessions=max(1, len(set(labels))) if labels else metered.sessions,
    )
