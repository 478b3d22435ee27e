"""What counts against a time budget: blocks and the time between them, without the pauses between
sessions.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.design.blocks import sessions_of
from assay.design.ending import Ending, block_s, ending_of, spent_s
from assay.model.goal import Goal, Shape
from assay.model.trial import Arm, Trial
from tests.builders import plan_of, record_of

S = 10**9
GAP_S = 1000.0
TRIALS = plan_trials(("spin",), blocks=6, seed=1, shape=Shape.PAIRS)
BEGINS = {0: 0, 1: 130, 2: 1250, 3: 2250}
"""Blocks of 100 s: 30 s after the first; 1020 s after the second, a pause; 900 s after the third, none."""


def records(blocks: int = 4) -> list[Trial]:
    """Return two trials a block: 40 s, 20 s between them, 40 s."""
    found = []
    for trial in (one for one in TRIALS if one.block < blocks):
        begin = BEGINS[trial.block] + 60 * trial.slot
        value = 100.0 if trial.arm is Arm.BASELINE else 50.0 + 40 * (trial.block % 2)
        found.append(record_of(trial, value, started_ns=begin * S, ended_ns=(begin + 40) * S))
    return found


def test_the_pause_between_sessions_is_not_spent() -> None:
    assert sessions_of(records(), gap_s=GAP_S) == {0: 0, 1: 0, 2: 1, 3: 1}
    assert spent_s(records(), gap_s=GAP_S) == pytest.approx(4 * 100 + 30 + 900)
    assert spent_s(records(2), gap_s=GAP_S) == pytest.approx(230)
    assert spent_s(records(1), gap_s=GAP_S) == pytest.approx(100)
    assert spent_s([], gap_s=GAP_S) == 0


def test_a_block_takes_its_own_time_and_that_to_the_next_of_its_session() -> None:
    plan = plan_of(TRIALS, goal=Goal(adaptive=True, shape=Shape.PAIRS, session_gap_s=GAP_S))
    assert block_s(plan, records(1)) == pytest.approx(100)
    assert block_s(plan, records()) == pytest.approx(100 + (30 + 900) / 2)
    assert block_s(plan, records()[:-1]) == pytest.approx(100 + (30 + 900) / 2), "of whole blocks alone"
    assert block_s(plan, []) == 0


@pytest.mark.parametrize(("budget_s", "ending"), [(1895, None), (1894, Ending.BUDGET), (None, None)])
def test_no_block_is_begun_that_would_end_after_the_budget(
    budget_s: float | None, ending: Ending | None
) -> None:
    """1330 s are spent, and a block takes 565 s with the way to it."""
    goal = Goal(adaptive=True, shape=Shape.PAIRS, session_gap_s=GAP_S, time_budget_s=budget_s)
    assert ending_of(plan_of(TRIALS, goal=goal), records()) is ending
    fixed = replace(goal, adaptive=False)
    assert ending_of(plan_of(TRIALS, goal=fixed), records()) is None


def test_a_pause_within_a_block_is_one_between_sessions_too() -> None:
    """A night lies between the two trials of block 1."""
    night = 40_000
    late = [
        replace(one, started_ns=one.started_ns + night * S, ended_ns=one.ended_ns + night * S)
        if (one.planned.block, one.planned.slot) > (1, 0)
        else one
        for one in records()
    ]
    assert sessions_of(late, gap_s=GAP_S) == {0: 0, 1: 1, 2: 2, 3: 2}
    assert spent_s(late, gap_s=GAP_S) == pytest.approx(170 + 40 + 1000 + 100)
    plan = plan_of(TRIALS, goal=Goal(adaptive=True, shape=Shape.PAIRS, session_gap_s=GAP_S))
    assert block_s(plan, late) == pytest.approx((100 + 80 + 100 + 100) / 4 + (30 + 900) / 2)
