"""Activities on several machines in the database: how far lanes are, and what is taken in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.fleet.pages import fleet_page, lanes_page
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.model.files.activities import LANES
from assay.model.fleet import Failure, Fleet, Lane, Stop
from assay.store.fleet import lane_folder, write_fleet, write_stop
from assay.store.rows import FleetRow
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
