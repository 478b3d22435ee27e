"""What is said between blocks of what is known and of what is to come, and when a session waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import rerun, schedule
from assay.activities.schedule import blocks_wanted, look_text, next_session_s
from assay.design import plan_trials
from assay.model.extension import Ending
from assay.model.goal import Goal, Shape
from assay.model.metric import Measurement
from assay.model.trial import Arm, Trial
from tests.activities.jobs import bench_of
from tests.activities.test_schedule import PLAN, ended_s, some
from tests.builders import RATE, WORKLOAD, plan_of, record_of

ADAPTIVE = replace(PLAN, goal=Goal(adaptive=True, shape=Shape.PAIRS))


@pytest.fixture
def open_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no goal be reached, and each block take 90 s."""
    monkeypatch.setattr(schedule, "ending_of", lambda _plan, _records: None)
    monkeypatch.setattr(schedule, "block_s", lambda _plan, _records: 90.0)


def look(plan: Any, records: Sequence[Trial]) -> str:
    text = look_text(plan, records)
    assert text is not None
    return text


@pytest.mark.parametrize(
    ("wanted", "blocks", "rest"),
    [
        (8, 6, "; about 2 more blocks, "),
        (7, 6, "; about 1 more block, "),
        (12, 6, "; at most 6 more blocks, "),
        (6, 6, "; the last block"),
    ],
)
def test_a_look_says_how_many_blocks_are_to_come(
    monkeypatch: pytest.MonkeyPatch, open_end: None, wanted: int, blocks: int, rest: str
) -> None:
    monkeypatch.setattr(schedule, "blocks_wanted", lambda _plan, _records: wanted)
    text = look(ADAPTIVE, some(blocks))
    assert rest in text
    if wanted > blocks:
        assert text.endswith(schedule.format_seconds(90.0 * (wanted - blocks)))
    else:
        assert text.endswith(rest)


def test_a_look_at_a_fixed_design_says_nothing_of_what_is_to_come(open_end: None) -> None:
    assert ";" not in look(PLAN, some(2))
    assert look(PLAN, some(1)).startswith("after 1 block: loss of spin events ")
    assert "more metrics" not in look(PLAN, some(2))


def test_an_end_is_said_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "ending_of", lambda _plan, _records: Ending.NEVER)
    assert look(ADAPTIVE, some(3)).endswith("; ended: further blocks would not bring what is still wanted")
    assert "; ended" not in look(PLAN, some(3))


@pytest.mark.parametrize(("metrics", "listed", "more"), [(3, 3, ""), (4, 3, ", and 1 more metrics")])
def test_a_look_lists_three_metrics_and_counts_the_rest(metrics: int, listed: int, more: str) -> None:
    named = tuple(replace(RATE, name=f"m{number}") for number in range(metrics))
    trials = plan_trials(("spin",), blocks=2, seed=1)
    plan = plan_of(trials, workloads=(replace(WORKLOAD, metrics=named),))
    records = [
        record_of(trial, 1.0, measurements=tuple(
            Measurement(metric,
            50.0 + trial.index if trial.arm is Arm.TREATMENT else 100.0) for metric in named
        ))
        for trial in trials
    ]  # fmt: skip
    text = look(plan, records)
    assert text.count("spin m") == listed
    assert text.count("; spin m") == listed - 1
    assert text.endswith(more) if more else "more" not in text


def predicted(monkeypatch: pytest.MonkeyPatch, blocks: int | None) -> None:
    monkeypatch.setattr(schedule, "predict", lambda *_given: SimpleNamespace(blocks=blocks))


@pytest.mark.parametrize(
    ("blocks", "minimum", "had", "wanted"),
    [
        (8, 3, 6, 8),
        (4, 3, 6, 6),
        (1, 5, 2, 5),
        (40, 3, 6, 12),
        (None, 3, 6, 12),
    ],
)
def test_blocks_that_are_wanted_are_those_predicted_within_what_is_there_and_what_is_planned(
    monkeypatch: pytest.MonkeyPatch, open_end: None, blocks: int | None, minimum: int, had: int, wanted: int
) -> None:
    predicted(monkeypatch, blocks)
    plan = replace(ADAPTIVE, goal=replace(ADAPTIVE.goal, minimum_blocks=minimum))
    assert blocks_wanted(plan, some(had)) == wanted
    assert blocks_wanted(PLAN, some(had)) == PLAN.blocks


def test_after_an_end_no_more_blocks_are_wanted_than_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "ending_of", lambda _plan, _records: Ending.REACHED)
    assert blocks_wanted(ADAPTIVE, some(5)) == 5


def test_a_session_waits_only_once_its_share_is_done_and_another_is_wanted() -> None:
    two = replace(PLAN, goal=replace(PLAN.goal, sessions=2))
    six = some(6)
    assert next_session_s(two, some(5), now_s=ended_s(six)) == 0
    later = replace(PLAN, goal=replace(PLAN.goal, sessions=3))
    assert next_session_s(later, some(4), now_s=ended_s(some(4))) == pytest.approx(3600)
    assert next_session_s(PLAN, [], now_s=0) == 0
    assert next_session_s(replace(PLAN, goal=replace(PLAN.goal, sessions=1)), some(6), now_s=0) == 0


def test_guests_that_stand_beside_each_other_run_a_trial_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (planned, *_) = PLAN.trials
    ran: list[Any] = []

    def runs(name: str) -> Any:
        def run(*given: object) -> Trial:
            ran.append((name, given))
            (tmp_path / "trials" / planned.name).mkdir(exist_ok=True)
            return record_of(planned, 1.0)

        return run

    for name in ("run_group", "run_trial"):
        monkeypatch.setattr(rerun, name, runs(name))
    context = bench_of(PLAN, tmp_path)
    for beside, name in (((), "run_trial"), ((object(),), "run_group")):
        visit: Any = SimpleNamespace(beside=beside)
        trial = rerun.run_undisturbed(context, visit, planned, WORKLOAD, tell=pytest.fail)
        assert trial == record_of(planned, 1.0)
        assert ran[-1] == (name, (context, visit, planned, WORKLOAD))
