"""Further blocks behind those that ran: the trials so far stay as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import activity_state, plan_trials
from assay.design.ending import wanted_of
from assay.design.extension import extended, in_force, is_begun
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.extension import Ended, Ending, Extension, FirstVerdict, Former
from assay.model.figures.estimate import Looks
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import SiteFloor
from assay.model.trial import Arm, Trial
from tests.builders import WORKLOAD, plan_of, record_of

SAID = (FirstVerdict("spin", "events", None, 4, "loss", 0.1, 0.05, 0.15),)
MORE = Extension(5, 0, 7, SAID)
OLD, NEW = (SiteFloor("node", at, 1, 0, ()) for at in (1, 2))


def plan(blocks: int, **goal: object) -> ActivityPlan:
    wanted = replace(Goal(), **goal)  # type: ignore[arg-type]
    trials = plan_trials(("spin", "job"), blocks=blocks, seed=3, shape=wanted.shape, runs=wanted.runs)
    both = (WORKLOAD, replace(WORKLOAD, name="job"))
    return replace(plan_of(trials, goal=wanted, workloads=both), blocks=blocks, seed=3)


def longer(of: ActivityPlan, ran: int, more: Extension = MORE) -> ActivityPlan:
    return extended(of, [record_of(trial, 1.0) for trial in of.trials if trial.block < ran], more)


@pytest.mark.parametrize("shape", [Shape.DOUBLE, Shape.PAIRS, Shape.CHAINED])
def test_what_ran_stays_and_the_rest_follows_in_blocks_of_the_same_shape(shape: Shape) -> None:
    of = plan(4, shape=shape)
    found = longer(of, 4)
    assert found.trials[: len(of.trials)] == of.trials
    assert [trial.index for trial in found.trials] == list(range(len(found.trials)))
    assert [trial.block for trial in found.trials] == sorted(trial.block for trial in found.trials)
    assert found.blocks == 9
    per_block = len(of.trials) // 4
    for block in range(9):
        ours = [trial for trial in found.trials if trial.block == block]
        assert len(ours) == per_block
        assert {(t.arm, t.workload) for t in ours} == {(a, w) for a in Arm for w in ("spin", "job")}


def test_blocks_that_a_goal_did_not_need_are_planned_anew() -> None:
    of = plan(20, adaptive=True, shape=Shape.PAIRS)
    found = longer(of, 6)
    assert found.blocks == 11
    assert found.trials[:24] == of.trials[:24]
    assert not found.goal.adaptive
    assert max(trial.block for trial in found.trials) == 10


def test_from_then_on_it_is_looked_at_as_after_every_block() -> None:
    of = plan(4)
    assert wanted_of(of).looks is Looks.ONCE
    assert wanted_of(longer(of, 4)).looks is Looks.EVERY
    precise = plan(12, adaptive=True, precision=0.01, shape=Shape.PAIRS)
    assert wanted_of(precise).looks is Looks.ONCE
    assert wanted_of(longer(precise, 12)).looks is Looks.EVERY


def test_what_was_said_before_is_kept_and_an_extension_can_be_extended() -> None:
    once = longer(plan(4), 4)
    assert once.extended == (Extension(5, 4, 7, SAID, Former(4, adaptive=False, floor=None, ended=None)),)
    twice = longer(once, 9, Extension(2, 0, 8))
    assert twice.extended == (
        *once.extended,
        Extension(2, 9, 8, former=Former(9, adaptive=False, floor=None, ended=None)),
    )
    assert twice.trials[: len(once.trials)] == once.trials
    assert twice.blocks == 11


def ran(of: ActivityPlan, trials: int) -> list[Trial]:
    return [record_of(trial, 50.0 + trial.index % 3) for trial in of.trials[:trials]]


@pytest.mark.parametrize(
    "of",
    [
        plan(4),
        replace(plan(20, adaptive=True, shape=Shape.PAIRS), ended=Ended(Ending.NEVER, 6)),
        plan(9, adaptive=True, precision=0.01, shape=Shape.PAIRS),
    ],
)
def test_until_a_further_trial_has_a_record_the_plan_before_is_in_force(of: ActivityPlan) -> None:
    blocks = of.ended.blocks if of.ended else of.blocks
    of, had = replace(of, floor=OLD), sum(trial.block < blocks for trial in of.trials)
    records = ran(of, had)
    found = extended(of, records, MORE, floor=NEW)
    assert (found.floor, found.ended, found.goal.adaptive) == (NEW, None, False)
    before = in_force(found, records)
    assert before == replace(of, trials=of.trials[:had])
    assert wanted_of(before) == wanted_of(of)
    assert activity_state(found, records) == activity_state(of, records) is ActivityState.COMPLETE
    begun = ran(found, had + 1)
    assert (is_begun(found, records), is_begun(found, begun)) == (False, True)
    assert in_force(found, begun) is found
    assert wanted_of(found).looks is Looks.EVERY
    assert activity_state(found, begun) is ActivityState.INTERRUPTED


def test_of_an_extension_of_an_extension_the_first_stays_in_force() -> None:
    once = longer(plan(4), 4)
    records = ran(once, len(once.trials))
    twice = extended(once, records, Extension(2, 0, 8))
    assert in_force(twice, records) == once
    assert wanted_of(in_force(twice, records)).looks is Looks.EVERY


def test_an_extension_that_did_not_say_what_was_before_is_of_a_fixed_number_of_blocks() -> None:
    once = longer(plan(4), 4)
    silent = replace(once, extended=(replace(once.extended[0], former=None),))
    assert in_force(silent, ran(once, 24)) == plan(4)


def test_the_floor_of_before_stays_where_the_site_knows_none_now() -> None:
    of = replace(plan(4), floor=OLD)
    assert longer(of, 4).floor == OLD


def test_an_activity_that_was_not_extended_has_begun() -> None:
    assert is_begun(plan(4), [])
    assert in_force(plan(4), []) == plan(4)


def test_it_was_taken_up_when_it_was_last_extended() -> None:
    assert plan(4).taken_up_ns == plan(4).created_ns
    assert longer(longer(plan(4), 4), 9, Extension(2, 0, 8)).taken_up_ns == 8


def test_further_blocks_have_an_order_of_their_own() -> None:
    of = plan(8, shape=Shape.PAIRS)
    found = longer(of, 8, Extension(8, 0, 7))
    first = {t.block: t.arm for t in reversed(found.trials)}
    assert sum(first[block] is Arm.BASELINE for block in range(8, 16)) == 4
    workloads = [[t.workload for t in found.trials if t.block == block] for block in range(16)]
    assert workloads[:8] != workloads[8:]
