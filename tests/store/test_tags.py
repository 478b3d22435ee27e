"""Tags: in the folder of a result and in the database, one as the other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.errors import AssayError, UnknownNameError
from assay.store.rebuild import rebuild
from assay.store.record import write_activity
from assay.store.search import Filter
from assay.store.store import Store
from assay.store.tags import MOST, read_tags
from tests.builders import plan_of
from tests.store.test_fleet import FLEET

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
FIRST, SECOND = "aaaa0000", "bbbb0000"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a store of two results."""
    opened = Store(tmp_path / "home")
    for name in (FIRST, SECOND):
        plan = plan_of(TRIALS, id=name)
        folder = opened.home / "activities" / name
        folder.mkdir(parents=True)
        write_activity(folder, plan)
        opened.add_activity(plan, folder)
    yield opened
    opened.close()


def found(store: Store, tag: str) -> list[str]:
    return [row.id for row in store.search(Filter(tag=tag)).rows]


def test_results_are_found_by_the_tags_that_they_have(store: Store) -> None:
    first, second = store.activity(FIRST), store.activity(SECOND)
    assert store.tag(first, add=["kernel-6.1", "before", "before"]) == ("before", "kernel-6.1")
    assert store.tag(second, add=["kernel-6.1"]) == ("kernel-6.1",)
    assert (found(store, "kernel-6.1"), found(store, "before")) == ([FIRST, SECOND], [FIRST])
    assert found(store, "kernel") == []
    assert store.known_tags(limit=9) == ("before", "kernel-6.1")
    assert store.tags([FIRST, SECOND, "cccc0000"]) == {
        FIRST: ("before", "kernel-6.1"), SECOND: ("kernel-6.1",),
    }  # fmt: skip
    assert store.tag(first, remove=["before"], add=["after"]) == ("after", "kernel-6.1")
    assert found(store, "before") == []
    held = json.loads((first.folder / "tags.json").read_text())
    assert held == {"schema": "assay.tags", "version": [1, 0], "tags": ["after", "kernel-6.1"]}


def test_a_lane_leads_to_its_activity_on_several_machines(store: Store) -> None:
    folder = store.home / "activities" / FLEET.id
    store.add_fleet(FLEET, folder)
    lane = folder / "lanes" / "dddd0000"
    lane.mkdir(parents=True)
    store.add_activity(plan_of(TRIALS, id="dddd0000"), lane)
    store.tag(store.activity("dddd0000"), add=["farm"])
    assert [row.id for row in store.search_fleets(Filter(tag="farm"))] == [FLEET.id]
    assert store.search_fleets(Filter(tag="other")) == ()
    assert found(store, "farm") == []


@pytest.mark.parametrize(
    "word", ["", "a b", "-x", "<b>", "a" * 65, "ä", "a\n", "../x", "a,b"], ids=lambda word: repr(word[:9])
)
def test_a_word_that_is_none_changes_nothing(store: Store, word: str) -> None:
    with pytest.raises(AssayError, match="expected 1 to 64 letters"):
        store.tag(store.activity(FIRST), add=["good", word])
    assert store.known_tags(limit=9) == ()
    assert not (store.activity(FIRST).folder / "tags.json").exists()


def test_there_is_an_end_to_them(store: Store) -> None:
    row = store.activity(FIRST)
    store.tag(row, add=[f"t{n}" for n in range(MOST)])
    with pytest.raises(AssayError, match=f"{MOST + 1} tags: expected at most {MOST}"):
        store.tag(row, add=["more"])
    assert len(store.tag(row, add=["more"], remove=["t0"])) == MOST


def test_a_tag_that_it_has_not_is_named_with_the_nearest(store: Store) -> None:
    row = store.activity(FIRST)
    store.tag(row, add=["before"])
    with pytest.raises(UnknownNameError, match="nearest: 'before'"):
        store.tag(row, remove=["befor"])


def test_they_are_there_again_where_rows_are_made_anew(store: Store) -> None:
    row = store.activity(FIRST)
    store.tag(row, add=["before"])
    store.import_folder(row.folder)
    assert store.tags([FIRST]) == {FIRST: ("before",)}
    store.close()
    rebuild(store.home)
    again = Store(store.home)
    assert again.tags([FIRST, SECOND]) == {FIRST: ("before",)}
    again.close()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"tags": 7}', '{"tags": ["a b"]}', '{"tags": [7]}', "[" * 100_000, "\xff"],
    ids=repr,
)
def test_a_damaged_file_hides_no_result(store: Store, text: str) -> None:
    row = store.activity(FIRST)
    (row.folder / "tags.json").write_bytes(text.encode("latin-1"))
    assert read_tags(row.folder) == ()
    assert store.import_folder(row.folder) == FIRST


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(store: Store) -> None:
    row = store.activity(FIRST)
    os.mkfifo(row.folder / "tags.json")
    assert store.import_folder(row.folder) == FIRST
    assert store.tags([FIRST]) == {}
