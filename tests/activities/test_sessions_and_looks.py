"""How many blocks are wanted, when the next session begins, what a look says: known answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from assay.activities import schedule
from assay.activities.schedule import blocks_wanted, look_text, next_session_s
from assay.design import plan_trials
from assay.design.predict import Prediction
from assay.model.extension import Ending
from assay.model.goal import Goal, Shape
from assay.model.trial import Arm, Trial
from tests.builders import RATE, WORKLOAD, plan_of, record_of

S = 10**9
GAP_S = 3600.0
TRIALS = plan_trials(("spin",), blocks=12, seed=1, shape=Shape.PAIRS)
GOAL = Goal(shape=Shape.PAIRS, sessions=3, session_gap_s=GAP_S)
ADAPTIVE = Goal(adaptive=True, shape=Shape.PAIRS, minimum_blocks=4)
PLAN = plan_of(TRIALS, goal=GOAL)


def some(*blocks: int, session_of: dict[int, int] | None = None) -> list[Trial]:
    """Return the records of some blocks; a block of a later session begins that many times two
    hours later.
    """
    found = []
    for trial in (one for one in TRIALS if one.block in blocks):
        record = record_of(
            trial, 50.0 + trial.block % 2 if trial.arm is Arm.TREATMENT else 100.0 + trial.block * 1e-6
        )
        by = 7200 * S * (session_of or {}).get(trial.block, 0)
        found.append(replace(record, started_ns=record.started_ns + by, ended_ns=record.ended_ns + by))
    return found


@pytest.fixture
def predicted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what sets how many blocks are expected, and why the activity ends."""

    def expect(blocks: int | None, ending: Ending | None = None) -> None:
        monkeypatch.setattr(schedule, "predict", lambda _metrics, _wanted: Prediction(blocks, ""))
        monkeypatch.setattr(schedule, "ending_of", lambda _plan, _records: ending)

    return expect


@pytest.mark.parametrize(
    ("blocks", "done", "wanted"),
    [(8, 3, 8), (2, 3, 4), (2, 5, 5), (40, 3, 12), (None, 3, 12), (12, 12, 12), (5, 5, 5)],
)
def test_what_is_predicted_holds_between_what_is_there_the_least_and_the_plan(
    predicted: Any, blocks: int | None, done: int, wanted: int
) -> None:
    predicted(blocks)
    assert blocks_wanted(replace(PLAN, goal=ADAPTIVE), some(*range(done))) == wanted


def test_an_activity_that_ended_wants_what_it_has_and_a_fixed_one_its_plan(predicted: Any) -> None:
    predicted(9, Ending.REACHED)
    assert blocks_wanted(replace(PLAN, goal=ADAPTIVE), some(0, 1)) == 2
    assert blocks_wanted(PLAN, some(0, 1)) == 12


def ended_s(records: Iterable[Trial]) -> float:
    return max(record.ended_ns for record in records) / S


def test_the_first_session_takes_a_third_of_the_blocks_and_then_waits_its_gap() -> None:
    assert next_session_s(PLAN, some(0, 1, 2), now_s=0) == 0
    four = some(0, 1, 2, 3)
    assert next_session_s(PLAN, four, now_s=ended_s(four)) == pytest.approx(GAP_S)
    assert next_session_s(PLAN, four, now_s=ended_s(four) + GAP_S + 1) == 0


def test_the_second_session_takes_half_of_what_is_left() -> None:
    first = dict.fromkeys(range(4, 8), 1)
    assert next_session_s(PLAN, some(*range(7), session_of=first), now_s=0) == 0
    eight = some(*range(8), session_of=first)
    assert next_session_s(PLAN, eight, now_s=ended_s(eight) + 600) == pytest.approx(GAP_S - 600)
    short = {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}
    five = some(*range(6), session_of=short)
    assert next_session_s(PLAN, five, now_s=0) == 0, "half of eleven are six, five of which are there"
    six = some(*range(7), session_of=short | {6: 1})
    assert next_session_s(PLAN, six, now_s=ended_s(six)) == pytest.approx(GAP_S)


@pytest.mark.parametrize("precision", [None, 0.5])
def test_blocks_that_lack_sessions_alone_do_not_fill_the_first_with_the_maximum(
    precision: float | None,
) -> None:
    trials = plan_trials(("spin",), blocks=60, seed=1, shape=Shape.PAIRS)
    goal = replace(ADAPTIVE, sessions=3, minimum_blocks=5, precision=precision)
    plan = plan_of(trials, goal=goal)
    records = [
        record_of(one, 50.0 + one.block % 2 if one.arm is Arm.TREATMENT else 100.0 + one.block * 1e-6)
        for one in trials
        if one.block < 6
    ]
    assert blocks_wanted(plan, records) == 6
    assert next_session_s(plan, records, now_s=ended_s(records)) == pytest.approx(GAP_S)


def test_two_sessions_are_enough_to_wait_and_one_never_does() -> None:
    two, one = (replace(PLAN, goal=replace(GOAL, sessions=count)) for count in (2, 1))
    six = some(*range(6))
    assert next_session_s(two, six, now_s=ended_s(six)) == pytest.approx(GAP_S)
    assert next_session_s(one, six, now_s=0) == 0
    assert next_session_s(two, [], now_s=0) == 0


def test_each_session_gets_a_block_even_where_fewer_are_expected(predicted: Any) -> None:
    predicted(1)
    plan = replace(PLAN, goal=replace(ADAPTIVE, sessions=6, minimum_blocks=1))
    one = some(0)
    assert next_session_s(plan, one, now_s=ended_s(one)) == pytest.approx(GAP_S)


def test_the_newest_block_must_be_whole_before_a_session_ends() -> None:
    four = some(0, 1, 2, 3)
    for missing in (four[-1], four[-2]):
        part = [record for record in four if record is not missing]
        assert next_session_s(PLAN, part, now_s=0) == 0
    gap_before = [record for record in four if record is not four[0]]
    assert next_session_s(PLAN, gap_before, now_s=0) > 0, "an earlier block is none of its business"


def test_a_look_counts_the_blocks_and_says_each_metric_s_loss() -> None:
    assert look_text(PLAN, some(0)) == "after 1 block: loss of spin events 50 % [-, -]"
    text = look_text(PLAN, some(0, 1))
    assert text is not None
    assert text.startswith("after 2 blocks: loss of spin events ")
    assert ";" not in text
    assert look_text(PLAN, []) is None


@pytest.mark.parametrize(
    ("count", "more"), [(3, ""), (4, ", and 1 more metrics"), (6, ", and 3 more metrics")]
)
def test_more_than_three_metrics_are_counted(count: int, more: str) -> None:
    names = [f"m{number}" for number in range(count)]
    metrics = tuple(replace(RATE, name=name) for name in names)
    records = []
    for record in some(0):
        (measured,) = record.measurements
        found = tuple(replace(measured, metric=metric) for metric in metrics)
        records.append(replace(record, measurements=found))
    plan = replace(PLAN, workloads=(replace(WORKLOAD, metrics=metrics),))
    said = "; ".join(f"spin {name} 50 % [-, -]" for name in names[:3])
    assert look_text(plan, records) == f"after 1 block: loss of {said}{more}"


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        (5, "; about 3 more blocks, 1 min"),
        (3, "; about 1 more block, 20 s"),
        (2, "; the last block"),
        (12, "; at most 10 more blocks, 3 min 20 s"),
        (None, "; at most 10 more blocks, 3 min 20 s"),
    ],
)
def test_a_look_says_what_is_to_come_where_the_goal_decides_it(
    predicted: Any, blocks: int | None, said: str
) -> None:
    predicted(blocks)
    plan = replace(PLAN, goal=replace(ADAPTIVE, minimum_blocks=1))
    text = look_text(plan, some(0, 1)) or ""
    assert ";" + text.split(";", 1)[1] == said


def test_a_look_says_why_it_is_the_last(predicted: Any) -> None:
    predicted(5, Ending.BUDGET)
    text = look_text(replace(PLAN, goal=ADAPTIVE), some(0, 1)) or ""
    assert text.endswith("; ended: the next block would end after the time budget")
