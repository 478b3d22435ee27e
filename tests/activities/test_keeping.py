"""A database that is away while trials run: nothing is lost, and nothing is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities import keeping
from assay.activities.keeping import RowKeeper
from assay.design import plan_trials
from assay.model.activity import ActivityState
from assay.model.goal import Shape
from assay.model.trial import State, Trial
from assay.store.chosen import Chosen, choose
from assay.store.faults import AwayDatabaseError
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import plan_of, record_of
from tests.postgres import Server, running

TRIALS = plan_trials(("spin",), blocks=4, seed=1, shape=Shape.PAIRS)
PLAN = replace(plan_of(TRIALS), id="aaaa0000")


@pytest.fixture
def server() -> Iterator[Server]:
    """One of the test's own: it is stopped."""
    with running() as own:
        yield own


@pytest.fixture
def store(server: Server, tmp_path: Path) -> Iterator[Store]:
    home = tmp_path / "home"
    home.mkdir()
    choose(home, Chosen(server.database("rows"), "here"))
    made = Store(home)
    yield made
    made.close()


@pytest.fixture
def folder(store: Store) -> Path:
    place = store.home / "activities" / PLAN.id
    place.mkdir(parents=True)
    write_activity(place, PLAN)
    store.add_activity(PLAN, place)
    return place


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "RETRY_S", 0.0)
    monkeypatch.setattr(keeping, "PATIENCE_S", 0.5)


def write(folder: Path, number: int, trial: Trial) -> None:
    place = folder / "trials" / TRIALS[number].name
    place.mkdir(parents=True)
    write_trial(place, trial)


def measure(folder: Path, number: int, keeper: RowKeeper) -> None:
    """Do what a trial does: its record first, then its rows."""
    trial = record_of(TRIALS[number], float(number + 1), activity=PLAN.id)
    write(folder, number, trial)
    keeper.record(trial)


def rows_of(server: Server, store: Store, table: str) -> list[str]:
    name = str(store._engine.url.database)
    return server.sql(f"SELECT \"index\" FROM {table} WHERE activity = '{PLAN.id}' ORDER BY 1", name).split()


def measured(server: Server, store: Store) -> list[str]:
    return rows_of(server, store, "measurement")


def test_a_server_that_is_killed_and_started_anew_has_each_trial_once(
    server: Server, store: Store, folder: Path
) -> None:
    said = list[str]()
    keeper = RowKeeper(store, PLAN.id, folder, said.append)
    keeper.begin()
    for number in (0, 1, 2):
        measure(folder, number, keeper)
    server.stop("immediate")
    for number in (3, 4):
        measure(folder, number, keeper)
    server.start()
    for number in (5, 6, 7):
        measure(folder, number, keeper)
    keeper.end(ActivityState.COMPLETE)
    assert measured(server, store) == [str(number) for number in range(8)]
    row = store.activity(PLAN.id)
    assert (row.trials, row.ended, row.failed, row.state) == (8, 8, 0, ActivityState.COMPLETE)
    assert len(said) == 2
    assert said[0].startswith("cannot reach the database postgresql://postgres@/")
    assert said[0].endswith("; trials go on, and their rows follow")
    assert said[1] == "the database is back, with the rows of all trials"


def test_a_server_that_stays_away_costs_no_error_and_rows_follow(
    server: Server, store: Store, folder: Path
) -> None:
    said = list[str]()
    keeper = RowKeeper(store, PLAN.id, folder, said.append)
    keeper.begin()
    measure(folder, 0, keeper)
    server.stop("immediate")
    for number in range(1, 8):
        measure(folder, number, keeper)
    keeper.end(ActivityState.COMPLETE)
    assert said[-1].endswith(f"; {keeping.LATER}")
    server.start()
    from assay.activities.rows import take_up_records

    take_up_records(store)
    row = store.activity(PLAN.id)
    assert (row.ended, row.state) == (8, ActivityState.COMPLETE)
    assert measured(server, store) == [str(number) for number in range(8)]


def test_a_server_that_is_away_at_the_end_is_waited_for(server: Server, store: Store, folder: Path) -> None:
    keeper = RowKeeper(store, PLAN.id, folder, lambda _: None)
    keeper.begin()
    measure(folder, 0, keeper)
    server.stop()
    calls = list[int]()

    def act() -> str:
        calls.append(1)
        if len(calls) == 2:
            server.start()
        return store.activity(PLAN.id).id

    assert keeping.patiently(act) == PLAN.id
    assert len(calls) == 2


def test_nothing_begins_without_the_database(server: Server, store: Store, folder: Path) -> None:
    server.stop()
    with pytest.raises(AwayDatabaseError, match="cannot reach the database"):
        RowKeeper(store, PLAN.id, folder, lambda _: None).begin()
    with pytest.raises(AwayDatabaseError, match="cannot reach the database"):
        Store(store.home)


def test_a_failed_trial_is_counted_once_when_rows_follow(server: Server, store: Store, folder: Path) -> None:
    keeper = RowKeeper(store, PLAN.id, folder, lambda _: None)
    keeper.begin()
    server.stop()
    failed = record_of(TRIALS[0], None, activity=PLAN.id, state=State.FAILED)
    write(folder, 0, failed)
    keeper.record(failed)
    server.start()
    measure(folder, 1, keeper)
    keeper.record(failed)
    row = store.activity(PLAN.id)
    assert (row.ended, row.failed, row.state) == (1, 1, ActivityState.RUNNING)
