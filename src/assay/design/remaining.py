"""What is left of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from assay.model.trial import Arm, PlannedTrial, State

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
    given_up = given_up_of((by_index[index], state) for index, state in outcomes.items())
    return tuple(t for t in trials if t.index not in outcomes and t.workload not in given_up)


def given_up_of(outcomes: Iterable[tuple[PlannedTrial, State]]) -> set[str]:
    """Return the workloads that failed too often on one arm to be tried again."""
    failures: Counter[tuple[Arm, str]] = Counter(
        (trial.arm, trial.workload) for trial, state in outcomes if state is State.FAILED
    )
    return {workload for (_, workload), count in failures.items() if count >= GIVE_UP_AFTER}
