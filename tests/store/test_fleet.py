"""Activities on several machines in the database: how far lanes are, and what is taken in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.activities.fleet.pages import fleet_page, lanes_page
from assay.activities.fleet.summaries import fleet_summaries
from assay.activities.summaries import MADE_BY
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.model.files.activities import LANES
from assay.model.fleet import Failure, Fleet, Lane, Stop
from assay.pages.fleet import FleetPage
from assay.report.tables.fleet import fleet_headline
from assay.store import tables as t
from assay.store.fleet import lane_folder, write_fleet, write_stop
from assay.store.record import read_trials
from assay.store.rows import FleetRow, KeptFleetSummary
from assay.store.store import Store
from tests.store.test_imports import PLAN, made

FLEET = Fleet(
    id="f1ee7000",
    scene="spin",
    title="Spin on three",
    scene_digest="0" * 64,
    scene_text="",
    scene_file="/spin.yaml",
    scale=None,
    command=None,
    who="n[1-3]",
    created_ns=1,
    seed=1,
    lanes=(Lane("n1", "0000000a"), Lane("n2", "0000000b"), Lane("n3", "0000000c")),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "home")
    yield opened
    opened.close()


def lay_lanes(folder: Path) -> None:
    """Lay one lane that is complete and one that was cut off."""
    for lane, values in zip(FLEET.lanes, ((1.0, 2.0, 3.0), (1.0,)), strict=False):
        made(lane_folder(folder, lane), replace(PLAN, id=lane.activity), *values)


def laid(home: Path) -> Path:
    """Write an activity of which one lane is complete, one was cut off, and one was never planned."""
    folder = home / "activities" / FLEET.id
    folder.mkdir(parents=True)
    write_fleet(folder, FLEET)
    lay_lanes(folder)
    return folder


def test_how_far_lanes_are_is_told_without_their_records(store: Store) -> None:
    folder = laid(store.home)
    write_stop(folder, FLEET.lanes[2], Stop(Failure.REFUSED, "its host key has changed", None, 1, 1, 4))
    assert store.import_fleet(folder) == FLEET.id
    shown, page = lanes_page(folder, store), fleet_page(folder, store.home)
    for there in (shown, page):
        assert [(lane.machine, lane.state, lane.done) for lane in there.lanes] == [
            ("n1", "complete", 3),
            ("n2", "interrupted", 1),
            ("n3", "out", 0),
        ]
        assert there.state == "interrupted"
    for record in folder.glob("lanes/*/trials/*/trial.json"):
        record.unlink()
    assert lanes_page(folder, store) == shown


def test_the_rows_of_an_own_folder_are_rebuilt(store: Store) -> None:
    folder = laid(store.home)
    for _ in range(2):
        assert store.import_fleet(folder) == FLEET.id
        row = store.find("last")
        assert isinstance(row, FleetRow)
        assert (row.id, row.lanes, row.state) == (FLEET.id, 3, ActivityState.INTERRUPTED)
        assert sorted(lane.ended for lane in store.lanes_of(FLEET.id)) == [1, 3]


def test_of_another_home_each_lane_is_taken_in_by_itself(store: Store, tmp_path: Path) -> None:
    folder = laid(tmp_path / "other")
    with pytest.raises(AssayError, match="only lanes can be") as refused:
        store.import_fleet(folder)
    assert refused.value.hint == f"assay result import {folder / LANES / '0000000a'}"
    assert store.import_folder(lane_folder(folder, FLEET.lanes[0])) == "0000000a"
    assert store.activity("last").fleet is None


def refuse(activity: str, error: AssayError) -> None:
    raise AssertionError(f"{activity}: {error.message}")


def listed(store: Store) -> list[KeptFleetSummary]:
    return [kept for _, kept in fleet_summaries(store, store.fleets(), refuse)]


def test_lists_read_records_of_lanes_once_and_again_when_there_are_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = laid(store.home)
    store.import_fleet(folder)
    page = fleet_page(folder, store.home)
    (first,) = listed(store)
    assert (first.state, first.scene, first.headline) == ("interrupted", page.scene, fleet_headline(page))

    def unread(*_: object) -> FleetPage:
        raise AssertionError("records were read")

    with monkeypatch.context() as patched:
        patched.setattr("assay.activities.fleet.pages.fleet_page", unread)
        assert listed(store) == [first]
        lane = lane_folder(folder, FLEET.lanes[1])
        store.add_record(next(iter(read_trials(lane))))
        with pytest.raises(AssertionError, match="records were read"):
            listed(store)
    assert listed(store) == [first]
    with monkeypatch.context() as patched:
        patched.setattr("assay.activities.fleet.summaries.MADE_BY", "a later one")
        patched.setattr("assay.activities.fleet.pages.fleet_page", unread)
        with pytest.raises(AssertionError, match="records were read"):
            listed(store)


def test_an_activity_on_several_machines_is_none_on_one(store: Store) -> None:
    store.import_fleet(laid(store.home))
    with pytest.raises(AssayError, match=f"{FLEET.id} here: it is an activity on several machines"):
        store.activity("f1ee")


def test_one_whose_folder_is_gone_is_left_out_and_said(store: Store) -> None:
    folder = laid(store.home)
    store.import_fleet(folder)
    listed(store)
    shutil.rmtree(folder)
    said: list[str] = []
    assert not [*fleet_summaries(store, store.fleets(), lambda _, error: said.append(error.message))]
    assert said == [f"cannot read activity {FLEET.id}: its folder {folder} is gone"]


def test_of_one_that_is_conducted_no_records_are_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.import_fleet(laid(store.home))
    monkeypatch.setattr("assay.activities.fleet.summaries.is_live", lambda *_: True)
    trials = len(FLEET.lanes[:2]) * len(PLAN.trials)
    (kept,) = listed(store)
    assert (kept.state, kept.headline) == ("running", f"4 of {trials} trials")
    assert store.fleet_summaries(MADE_BY) == {}


def test_those_of_another_controller_are_listed_by_what_it_kept(store: Store) -> None:
    store.import_fleet(laid(store.home))
    with store._engine.begin() as connection:
        connection.execute(sa.update(t.fleet).values(controller="ctl02", folder="/not/here", state="running"))
    (unkept,) = listed(store)
    assert (unkept.state, unkept.headline) == ("running", "3 machines, with the controller 'ctl02'")
    store.keep_fleet_summary(KeptFleetSummary(FLEET.id, 2, "an earlier one", "running", "spin", "12 % lost"))
    (kept,) = listed(store)
    assert kept.headline == "12 % lost"
