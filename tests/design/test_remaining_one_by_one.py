"""What is left of a plan while its trials end one after the other: as it is counted from all of them."""

from __future__ import annotations

import random

import pytest

from assay.design import Remaining, plan_trials, remaining_trials
from assay.model.trial import State

ENDS = (State.ENDED, State.ENDED, State.ENDED, State.FAILED)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_is_counted_from_all_outcomes(seed: int) -> None:
    draw = random.Random(seed)
    trials = plan_trials(("spin", "read", "write"), blocks=4, seed=seed)
    remaining, outcomes = Remaining(trials, {}), dict[int, State]()
    for trial in draw.choices(trials, k=2 * len(trials)):  # some end again, otherwise
        state = draw.choice(ENDS)
        outcomes[trial.index] = state
        remaining.end(trial, state)
        left = remaining_trials(trials, outcomes, {})
        assert remaining.left() == left
        assert len(remaining) == len(left)
        assert [one in remaining for one in trials] == [one in left for one in trials]
        assert [remaining.has(block) for block in range(4)] == [
            any(one.block == block for one in left) for block in range(4)
        ]
