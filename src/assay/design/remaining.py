"""What is left of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.model.trial import PlannedTrial, State

GIVE_UP_AFTER = 2
"""A workload that failed so often on one arm is not tried again on any: its program is wrong, not its luck."""


def remaining_trials(
    trials: Sequence[PlannedTrial], outcomes: Mapping[int, State]
) -> tuple[PlannedTrial, ...]:
    """Return the trials still to run, in their order.

    Args:
        trials: The whole plan.
        outcomes: State of each trial that has a record, by its index.
    """
    by_index = {trial.index: trial for trial in trials}
    failures = Counter(
        (by_index[index].arm, by_index[index].workload)
        for index, state in outcomes.items()
        if state is State.FAILED
    )
    given_up = {workload for (_, workload), count in failures.items() if count >= GIVE_UP_AFTER}
    return tuple(t for t in trials if t.index not in outcomes and t.workload not in given_up)
