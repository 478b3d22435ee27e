"""Whatever the order in which records come, and however often: the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from assay.design import activity_state, plan_trials
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import State, Trial
from assay.store import tables as t
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=2, seed=1)
NAMES = (f"{number:08x}" for number in count())
METRICS = [Metric(name, "1/s", Direction.HIGHER) for name in ("rate", "time", "size")]
FIGURES = st.lists(
    st.builds(Measurement, st.sampled_from(METRICS), st.none() | st.floats(0, 1e9)),
    max_size=3,
    unique_by=lambda one: one.metric.name,
)
DOUBTS = st.lists(
    st.builds(Doubt, st.sampled_from(["steal", "cold"]), st.sampled_from(["a", "b"])), max_size=3
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store(tmp_path_factory.mktemp("home"))
    yield opened
    opened.close()


@st.composite
def records(draw: st.DrawFn) -> tuple[ActivityPlan, list[Trial]]:
    """Draw a plan and the records of its first trials."""
    plan = plan_of(TRIALS, id=next(NAMES))
    made = []
    for planned in TRIALS[: draw(st.integers(0, len(TRIALS)))]:
        good = record_of(planned, 1.0, activity=plan.id, measurements=tuple(draw(FIGURES)))
        good = replace(good, doubts=tuple(draw(DOUBTS)))
        bad = replace(good, state=State.FAILED, cause="it broke", exit_code=1, measurements=())
        made.append(draw(st.sampled_from([good, bad])))
    return plan, made


def keep(folder: Path, plan: ActivityPlan, made: list[Trial]) -> None:
    """Write an activity's folder as plain files, which no power cut is to outlast."""
    for record in made:
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        write_trial(place, record)
    folder.mkdir(parents=True, exist_ok=True)
    write_activity(folder, plan)


def rows(store: Store, activity: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of an activity's trials by table, sorted."""
    found = {}
    with store._engine.connect() as connection:
        for table in (t.trial, t.measurement, t.doubt):
            chosen = sa.select(table).where(table.c.activity == activity)
            found[table.name] = sorted(map(tuple, connection.execute(chosen).all()), key=repr)
    return found


@given(made=records(), data=st.data())
def test_rows_do_not_depend_on_how_records_came(
    store: Store,
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[ActivityPlan, list[Trial]],
    data: st.DataObject,
) -> None:
    plan, trials = made
    folder = tmp_path_factory.mktemp("activity") / plan.id
    keep(folder, plan, trials)
    store.add_activity(plan, folder)
    for trial in data.draw(st.permutations(trials * 2)):
        store.add_record(trial)
    added = rows(store, plan.id)
    for _ in range(data.draw(st.integers(1, 2))):
        assert store.import_folder(folder) == plan.id
        assert rows(store, plan.id) == added
    for trial in trials[:1]:
        store.add_record(trial)
    assert rows(store, plan.id) == added


@given(made=records())
def test_the_rows_say_what_the_records_say(
    store: Store, tmp_path_factory: pytest.TempPathFactory, made: tuple[ActivityPlan, list[Trial]]
) -> None:
    plan, trials = made
    folder = tmp_path_factory.mktemp("activity") / plan.id
    keep(folder, plan, trials)
    store.import_folder(folder)
    found, row = rows(store, plan.id), store.activity(plan.id)
    figures = {(one.planned.index, m.metric.name): m.value for one in trials for m in one.measurements}
    assert {(line[1], line[2]): line[-1] for line in found["measurement"]} == figures
    assert {(line[1], line[2]) for line in found["doubt"]} == {
        (one.planned.index, doubt.code) for one in trials for doubt in one.doubts
    }
    assert row.trials == len(TRIALS)
    assert row.ended == sum(one.state is State.ENDED for one in trials)
    assert row.failed == sum(one.state is State.FAILED for one in trials)
    assert row.state is activity_state(plan, trials)
    assert row.ended_ns == max((one.ended_ns for one in trials), default=None)
