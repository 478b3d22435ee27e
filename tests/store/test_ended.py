"""How an activity ended stays what it was, whatever a later rule would say of the same records."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.pages import page_of, write_page
from assay.design import activity_state, ending_of, plan_trials
from assay.design.ending import ENDINGS
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.extension import Ended, Ending
from assay.model.goal import Goal, Shape
from assay.model.trial import Arm, Trial
from assay.store.record import read_activity, write_activity, write_trial
from assay.store.store import Store
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=20, seed=3, shape=Shape.PAIRS)
PLAN = plan_of(TRIALS, goal=Goal(adaptive=True, minimum_blocks=5, shape=Shape.PAIRS))
"""Of a goal that the records below do not reach."""


def some(blocks: int) -> list[Trial]:
    draw = random.Random(5)
    return [record_of(trial, draw.uniform(50, 150)) for trial in TRIALS if trial.block < blocks]


def put(folder: Path, blocks: int, plan: ActivityPlan = PLAN) -> Path:
    folder.mkdir(parents=True)
    write_activity(folder, plan)
    for record in some(blocks):
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        write_trial(place, record)
    return folder


def seen(folder: Path, state: str, blocks: int) -> Path:
    """Put the page of an earlier assay beside the records."""
    page = {"result": {"state": state}, "trials": [{"block": block} for block in range(blocks)] * 2}
    (folder / "report.json").write_text(json.dumps(page))
    return folder


@pytest.mark.parametrize("why", Ending)
def test_an_ending_that_was_written_down_is_the_answer(why: Ending) -> None:
    closed = replace(PLAN, ended=Ended(why, 6))
    assert ending_of(PLAN, some(6)) is None
    assert ending_of(closed, some(6)) is why
    assert activity_state(closed, some(6)) is ActivityState.COMPLETE
    assert ENDINGS[why]


@pytest.mark.parametrize("records", [some(5), some(7), some(6)[:-1], []])
def test_it_is_the_answer_of_these_very_blocks_alone(records: list[Trial]) -> None:
    closed = replace(PLAN, ended=Ended(Ending.REACHED, 6))
    assert ending_of(closed, records) is None
    assert activity_state(closed, records) is ActivityState.INTERRUPTED


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", 6, replace(PLAN, ended=Ended(Ending.NEVER, 6)))
    assert read_activity(folder).ended == Ended(Ending.NEVER, 6)
    assert json.loads((folder / "activity.json").read_text())["version"] == [1, 11]
    assert read_activity(seen(folder, "interrupted", 6)).ended == Ended(Ending.NEVER, 6)
    assert page_of(folder).result.state == "complete"


@pytest.mark.parametrize("state", ["complete", "partial", "failed"])
def test_of_an_earlier_assay_its_page_tells_that_it_had_ended(tmp_path: Path, state: str) -> None:
    folder, home = seen(put(tmp_path / "a", 6), state, 6), tmp_path / "home"
    assert read_activity(folder).ended == Ended(Ending.EARLIER, 6)
    page = page_of(folder)
    assert (page.result.state, len(page.trials)) == ("complete", 12)
    store = Store(home)
    row = store.activity(store.import_folder(folder))
    assert row.state is ActivityState.COMPLETE
    assert page_of(row.folder).result.state == "complete"
    (folder / "report.json").unlink()
    assert store.import_folder(folder) == row.id, "the page is no part of what must be the same"
    seen(folder, state, 6)
    write_page(folder)
    assert page_of(folder).result.state == "complete"


def test_one_that_was_interrupted_or_has_no_page_is_judged_by_the_rule_of_today(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", 6)
    assert read_activity(folder).ended is None
    for state in ("interrupted", "running"):
        assert read_activity(seen(folder, state, 6)).ended is None
    for text in (
        "",
        "[]",
        "{}",
        '{"result": {"state": "complete"}}',
        '{"result": 1}',
        '{"result": {"state": [}',
    ):
        (folder / "report.json").write_text(text)
        assert read_activity(folder).ended is None
    assert page_of(folder).result.state == "interrupted"


def test_a_fixed_number_of_blocks_has_no_ending(tmp_path: Path) -> None:
    fixed = replace(PLAN, goal=Goal(shape=Shape.PAIRS))
    folder = seen(put(tmp_path / "a", 6, fixed), "complete", 6)
    assert read_activity(folder).ended is None
    assert page_of(folder).result.state == "interrupted"
    assert any(record.planned.arm is Arm.TREATMENT for record in some(1))
