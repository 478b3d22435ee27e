"""What is left of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.model.trial import Arm, PlannedTrial, State

GIVE_UP_AFTER = 2
"""A workload that failed so often on one arm is not tried again on any: its program is wrong, not its luck.

Of several treatments one that fails so often is given up alone: its setting may be wrong; with it what is
measured over it.
"""
GivenUp = frozenset[tuple[str, int | None]]
"""Workloads that are not tried again, each with the treatment on which; ``None`` is everywhere."""


def remaining_trials(
    trials: Sequence[PlannedTrial], outcomes: Mapping[int, State], over: Mapping[int, int]
) -> tuple[PlannedTrial, ...]:
    """Return the trials still to run, in their order.

    Args:
        trials: The whole plan.
        outcomes: State of each trial that has a record, by its index.
        over: By level of a treatment that of what it is measured over, where that is not the baseline.
    """
    given_up = given_up_of(trials, outcomes, over)
    return tuple(t for t in trials if t.index not in outcomes and not is_given_up(t, given_up))


class Remaining:
    """What is left of a plan while its trials end one after the other; each costs as much as the last.

    Args:
        trials: The whole plan.
        over: By level of a treatment that of what it is measured over, where that is not the baseline.
    """

    def __init__(self, trials: Sequence[PlannedTrial], over: Mapping[int, int]) -> None:
        self._trials, self._over = trials, over
        self._outcomes: dict[int, State] = {}
        self._open: dict[int, PlannedTrial] = {}
        self._blocks: Counter[int] = Counter()
        self._given_up: GivenUp = frozenset()
        self._count()

    def end(self, trial: PlannedTrial, state: State) -> None:
        """Note how a trial has ended; again where it has ended otherwise."""
        before = self._outcomes.get(trial.index)
        self._outcomes[trial.index] = state
        if self._open.pop(trial.index, None) is not None:
            self._blocks[trial.block] -= 1
        if State.FAILED in (before, state) and before != state:
            given_up = given_up_of(self._trials, self._outcomes, self._over)
            if given_up != self._given_up:
                self._count()

    def _count(self) -> None:
        self._given_up = given_up_of(self._trials, self._outcomes, self._over)
        left = remaining_trials(self._trials, self._outcomes, self._over)
        self._open = {trial.index: trial for trial in left}
        self._blocks = Counter(trial.block for trial in left)

    def __contains__(self, trial: PlannedTrial) -> bool:
        return trial.index in self._open

    def __len__(self) -> int:
        return len(self._open)

    def has(self, block: int) -> bool:
        """Tell whether a trial of a block is left."""
        return self._blocks[block] > 0

    def left(self) -> tuple[PlannedTrial, ...]:
        """Return the trials still to run, in their order."""
        return tuple(self._open.values())


def given_up_of(
    trials: Sequence[PlannedTrial], outcomes: Mapping[int, State], over: Mapping[int, int]
) -> GivenUp:
    """Return the workloads that failed too often to be tried again; arguments as of ``remaining_trials``."""
    failures = Counter(
        (trial.arm, trial.level, trial.workload)
        for trial in trials
        if outcomes.get(trial.index) is State.FAILED
    )
    often = {place for place, count in failures.items() if count >= GIVE_UP_AFTER}
    levels = {(trial.workload, trial.level) for trial in trials if trial.arm is Arm.TREATMENT}
    alone = {(work, level) for arm, level, work in often if arm is Arm.TREATMENT}
    alone |= {(work, level) for work, level in levels if (work, over.get(level)) in alone}
    left = {work for work, _ in levels - alone}
    everywhere = {work for arm, _, work in often if arm is Arm.BASELINE or work not in left}
    return frozenset({*alone, *((work, None) for work in everywhere)})


def is_given_up(trial: PlannedTrial, given_up: GivenUp) -> bool:
    """Tell whether a trial is not tried."""
    if (trial.workload, None) in given_up:
        return True
    return trial.arm is Arm.TREATMENT and (trial.workload, trial.level) in given_up
