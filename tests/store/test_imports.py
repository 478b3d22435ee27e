"""What is taken in from another home: copied, marked, and never in the place of what was measured here."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, MissingError
from assay.model.figures.estimate import Verdict
from assay.model.goal import Shape
from assay.model.platforms.data import DataFile, DataSet
from assay.model.trial import Member, State, Trial
from assay.store.imports import read_import
from assay.store.record import (
    RecordError,
    read_activity,
    read_trial,
    read_trials,
    write_activity,
    write_trial,
)
from assay.store.rows import KeptSummary
from assay.store.search import Filter
from assay.store.store import Store
from assay.store.views import NAMES
from tests.builders import WORKLOAD, plan_of, record_of
from tests.small_disk import small_disk

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
PLAN = plan_of(TRIALS)
FUTURE_NS = 4_102_444_800 * 10**9
"""The year 2100."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "home")
    yield opened
    opened.close()


def made(folder: Path, plan: ActivityPlan = PLAN, *values: float) -> Path:
    """Write an activity's folder with a record a value, and return it."""
    for planned, value in zip(plan.trials, values, strict=False):
        place = folder / "trials" / planned.name
        place.mkdir(parents=True)
        write_trial(place, record_of(planned, value, activity=plan.id))
        (place / "samples.csv").write_text("mono_ns\n1\n")
    folder.mkdir(parents=True, exist_ok=True)
    write_activity(folder, plan)
    return folder


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_a_foreign_folder_is_copied_and_says_where_it_came_from(store: Store, tmp_path: Path) -> None:
    foreign = made(tmp_path / "usb" / "x", PLAN, 1.0, 2.0, 3.0)
    before = time.time_ns()
    assert store.import_folder(foreign) == PLAN.id
    row = store.activity(PLAN.id)
    assert (row.folder, row.origin, row.state) == (
        store.home / "imported" / PLAN.id, str(foreign), ActivityState.COMPLETE,
    )  # fmt: skip
    assert row.imported_ns is not None
    assert before <= row.imported_ns <= time.time_ns()
    assert names(row.folder) == names(foreign) | {"imported.json"}
    assert list(read_trials(row.folder)) == list(read_trials(foreign))
    assert not (store.home / "activities").exists()
    assert [path.name for path in (store.home / "imported").iterdir()] == [PLAN.id]
    assert store.own_activity(PLAN.id) is None


@pytest.mark.parametrize("said", ["-1e300", "-5", "1e300", "1e400", "null", '"x"', "[]"])
def test_the_time_of_an_import_lies_between_the_beginning_and_now(said: str, tmp_path: Path) -> None:
    (tmp_path / "imported.json").write_text(f'{{"origin": "/x", "imported_ns": {said}}}')
    assert 0 <= read_import(tmp_path).imported_ns <= time.time_ns()


def test_a_linked_folder_stays_where_it_is_and_is_foreign_all_the_same(store: Store, tmp_path: Path) -> None:
    foreign = made(tmp_path / "usb", PLAN, 1.0)
    for _ in range(2):
        store.import_folder(foreign, link=True)
        row = store.activity(PLAN.id)
        assert (row.folder, row.origin) == (foreign, str(foreign))
    assert not (store.home / "imported").exists()


def test_only_what_is_written_once_is_copied(store: Store, tmp_path: Path) -> None:
    foreign = made(tmp_path / "usb", PLAN, 1.0)
    for name in ("inflight.json", "report.html", "imported.json", "trials/.half", "other", "proof.json"):
        (foreign / name).write_text("{}")
    (foreign / "trials" / TRIALS[0].name / "secret").symlink_to("/etc/shadow")
    os.mkfifo(foreign / "trials" / TRIALS[0].name / "pipe")
    (foreign / "facts").symlink_to("/etc")
    store.import_folder(foreign)
    place = f"trials/{TRIALS[0].name}"
    assert names(store.activity("last").folder) == {
        "activity.json", "proof.json", "imported.json", f"{place}/trial.json", f"{place}/samples.csv",
    }  # fmt: skip


def test_an_import_from_the_future_is_as_new_as_its_import(store: Store, tmp_path: Path) -> None:
    store.import_folder(made(tmp_path / "usb", replace(PLAN, created_ns=FUTURE_NS), 1.0))
    own = replace(PLAN, id="aaaa0000", created_ns=time.time_ns())
    store.add_activity(own, made(store.home / "activities" / own.id, own))
    assert store.activity("last").id == own.id
    store.import_folder(made(tmp_path / "later", replace(PLAN, id="bbbb0000"), 1.0))
    assert store.activity("last").id == "bbbb0000"
    assert store.activity("last", own=True).id == own.id


def test_where_all_is_imported_there_is_no_last_of_our_own(store: Store, tmp_path: Path) -> None:
    store.import_folder(made(tmp_path / "usb", PLAN, 1.0))
    with pytest.raises(AssayError, match="cannot find activity 'last': there is none yet"):
        store.activity("last", own=True)


@pytest.mark.parametrize("link", [False, True])
def test_a_known_id_is_never_replaced_by_other_content(store: Store, tmp_path: Path, link: bool) -> None:
    own = made(store.home / "activities" / PLAN.id, PLAN, 1.0, 2.0)
    store.import_folder(own)
    kept = store.activities()
    assert store.import_folder(made(tmp_path / "same", PLAN, 1.0, 2.0), link=link) == PLAN.id
    assert store.activities() == kept
    other = made(tmp_path / "other", PLAN, 1.0, 2.5)
    with pytest.raises(AssayError) as caught:
        store.import_folder(other, link=link)
    assert caught.value.message == (
        f"cannot import {other}: activity {PLAN.id} is known with other content, in {own}"
    )
    assert store.activities() == kept
    assert kept[0].origin is None
    assert not (store.home / "imported").exists()


def test_what_was_imported_is_not_replaced_by_another_import(store: Store, tmp_path: Path) -> None:
    store.import_folder(made(tmp_path / "first", PLAN, 1.0))
    kept = store.activities()
    store.import_folder(made(tmp_path / "same", PLAN, 1.0))
    with pytest.raises(AssayError, match="is known with other content"):
        store.import_folder(made(tmp_path / "other", PLAN, 9.0))
    assert store.activities() == kept


def test_an_own_activity_whose_folder_is_gone_is_not_replaced_but_an_import_is(
    store: Store, tmp_path: Path
) -> None:
    foreign = made(tmp_path / "usb", PLAN, 1.0)
    store.add_activity(PLAN, store.home / "activities" / PLAN.id)
    with pytest.raises(AssayError, match=r"was measured here, and its folder .* is gone"):
        store.import_folder(foreign)
    linked = made(tmp_path / "link", replace(PLAN, id="aaaa0000"), 1.0)
    store.import_folder(linked, link=True)
    moved = linked.rename(tmp_path / "moved")
    store.import_folder(moved)
    assert store.activity("aaaa").origin == str(moved)


def test_a_lost_database_is_rebuilt_with_what_was_imported_marked_as_such(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = Store(home)
    own = made(home / "activities" / "aaaa0000", replace(PLAN, id="aaaa0000"), 1.0)
    first.import_folder(made(tmp_path / "usb", PLAN, 1.0))
    first.import_folder(own)
    rows = first.activities()
    first.close()
    for file in home.glob("assay.db*"):
        file.unlink()
    again = Store(home)
    again.import_folder(home / "imported" / PLAN.id)
    again.import_folder(own)
    assert sorted(again.activities(), key=lambda row: row.id) == sorted(rows, key=lambda row: row.id)
    again.close()


BAD_IDS = ("../../x", "0123ABCD", "0123abc", "0123abcd0", "", "0123abc\n", ".", "run/../aa")


@pytest.mark.parametrize("name", BAD_IDS)
def test_an_id_that_is_not_eight_hexadecimal_digits_is_refused(
    store: Store, tmp_path: Path, name: str
) -> None:
    foreign = made(tmp_path / "usb", PLAN)
    text = json.loads((foreign / "activity.json").read_text())
    (foreign / "activity.json").write_text(json.dumps(text | {"id": name}))
    for link in (False, True):
        with pytest.raises(RecordError, match="id: expected eight hexadecimal digits, got"):
            store.import_folder(foreign, link=link)
    assert store.activities() == ()
    assert sorted(path.name for path in store.home.iterdir() if path.is_dir()) == []


def _bad_plans() -> Iterator[ActivityPlan]:
    yield replace(PLAN, proof_of="../x")
    yield replace(PLAN, created_ns=10**30)
    yield replace(PLAN, seed=-1)
    yield replace(PLAN, workloads=(replace(WORKLOAD, name="../../etc"),))
    yield replace(PLAN, trials=(replace(TRIALS[0], workload="x/../../y"),))
    yield replace(PLAN, trials=(replace(TRIALS[0], index=2**63),))
    for name in ("../x", "/etc/x", "a/../../b", "a\0b", ""):
        yield replace(PLAN, data=DataSet((DataFile(name, 1),)))


@pytest.mark.parametrize("plan", list(_bad_plans()))
def test_a_plan_whose_names_lead_out_of_its_folder_is_refused(tmp_path: Path, plan: ActivityPlan) -> None:
    write_activity(tmp_path, plan)
    with pytest.raises(RecordError, match="expected "):
        read_activity(tmp_path)


MEMBER = Member("guest-0", "g", "b", (1,), 1, 1, 0.0, None, None, None, None, None, None)


@pytest.mark.parametrize(
    "change",
    [
        {"activity": "../../0123"},
        {"planned": replace(TRIALS[0], workload="../../../etc/x")},
        {"boot": "../../../etc/cron.d/x"},
        {"members": (replace(MEMBER, name="../guest-0"),)},
        {"started_ns": -1},
        {"ended_ns": 2**63},
    ],
    ids=str,
)
def test_a_record_whose_names_lead_out_of_its_folder_is_refused(tmp_path: Path, change: dict) -> None:
    write_trial(tmp_path, replace(record_of(TRIALS[0], 1.0), **change))
    with pytest.raises(RecordError, match="expected "):
        read_trial(tmp_path)


def _contradictions() -> Iterator[tuple[ActivityPlan, Trial]]:
    first = record_of(TRIALS[0], 1.0)
    yield PLAN, replace(first, planned=replace(TRIALS[0], index=9))
    yield PLAN, replace(first, planned=replace(TRIALS[0], workload="other"))
    yield PLAN, replace(first, measurements=first.measurements * 2)
    yield replace(PLAN, trials=()), first
    yield replace(PLAN, trials=(TRIALS[0], TRIALS[0])), first
    yield PLAN, replace(first, exit_code=2**63)


@pytest.mark.parametrize(("plan", "record"), list(_contradictions()))
@pytest.mark.parametrize("link", [False, True])
def test_records_that_contradict_their_plan_are_refused_and_leave_nothing(
    store: Store, tmp_path: Path, plan: ActivityPlan, record: Trial, link: bool
) -> None:
    foreign = made(tmp_path / "usb", plan)
    place = foreign / "trials" / "one"
    place.mkdir(parents=True)
    write_trial(place, record)
    with pytest.raises(AssayError, match="cannot import") as refused:
        store.import_folder(foreign, link=link)
    assert f"cannot import {foreign}: " in refused.value.message, "what was given, not a copy of it"
    assert str(store.home) not in refused.value.message
    assert store.activities() == ()
    assert list((store.home / "imported").glob("*")) == []


@pytest.mark.parametrize("name", ["activity.json"])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(
    store: Store, tmp_path: Path, name: str
) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(RecordError, match="expected a file, got a folder, a pipe or a device"):
        store.import_folder(tmp_path)


OLDER = (
    *(f"DROP VIEW {name}" for name in reversed(NAMES)),
    "DROP TABLE boot",
    "DROP TABLE seen",
    "DROP TABLE fleet_summary",
    "DROP TABLE controller",
    "DROP TABLE fleet",
    "DROP TABLE health",
    "DROP TABLE tag",
    "DROP TABLE summary_key",
    "DROP TABLE summary_content",
    "DROP TABLE summary",
    "DROP INDEX ix_activity_fleet",
    "DROP INDEX ix_activity_made",
    *(f"ALTER TABLE activity DROP COLUMN {name}" for name in ("trials", "ended", "failed", "controller")),
    *(
        f"ALTER TABLE machine DROP COLUMN {name}"
        for name in ("groups", "tags", "role", "notes", "guest_of", "job")
    ),
    *(f"ALTER TABLE activity DROP COLUMN {name}" for name in ("fleet", "machine", "origin", "imported_ns")),
)
"""What takes a database back to its first schema."""


def test_rows_of_an_older_database_are_told_apart_by_where_their_folders_lie(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = Store(home)
    for name, folder in (("aaaa0000", home / "activities/aaaa0000"), ("bbbb0000", tmp_path / "usb")):
        store.add_activity(replace(PLAN, id=name, created_ns=FUTURE_NS), folder)
    store.add_activity(replace(PLAN, id="../../x"), tmp_path)
    store.add_record(record_of(PLAN.trials[0], 1.0, activity="aaaa0000"))
    store.add_record(record_of(PLAN.trials[1], None, activity="aaaa0000", state=State.FAILED))
    with store._engine.begin() as connection:
        for statement in OLDER:
            connection.execute(sa.text(statement))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    store.close()
    again = Store(home)
    rows = {row.id: row for row in again.activities()}
    assert {name: row.origin for name, row in rows.items()} == {
        "aaaa0000": None, "bbbb0000": str(tmp_path / "usb"),
    }  # fmt: skip
    counts = [(row.trials, row.ended, row.failed) for row in (rows["aaaa0000"], rows["bbbb0000"])]
    assert counts == [(len(PLAN.trials), 1, 1), (len(PLAN.trials), 0, 0)]
    assert rows["bbbb0000"].imported_ns is not None
    assert rows["bbbb0000"].imported_ns <= time.time_ns()
    again.close()


BEFORE_SEARCH = (
    *(f"DROP VIEW {name}" for name in reversed(NAMES)),
    "DROP TABLE boot",
    "DROP TABLE seen",
    "DROP TABLE fleet_summary",
    "ALTER TABLE summary ADD COLUMN content TEXT NOT NULL DEFAULT '{}'",
    "UPDATE summary SET content = c.content FROM summary_content c WHERE c.activity = summary.activity",
    "DROP TABLE tag",
    "DROP TABLE summary_key",
    "DROP TABLE summary_content",
    "ALTER TABLE machine DROP COLUMN job",
    "DROP INDEX ix_activity_made",
    "DROP INDEX ix_activity_fleet",
    "CREATE INDEX ix_activity_fleet ON activity (fleet)",
    "CREATE INDEX ix_activity_created_ns ON activity (created_ns)",
    "UPDATE alembic_version SET version_num = '0007'",
)
"""What takes a database back to the schema before results were searched."""


def test_results_in_short_of_an_older_database_are_found_and_have_their_figures(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    store.add_activity(PLAN, tmp_path)
    estimates = [{"verdict": "loss"}, {"verdict": "loss"}, {"verdict": "gain"}]
    content = json.dumps({"estimates": estimates, "machines": ["node01 (AMD EPYC)"]})
    store.keep_summary(KeptSummary(PLAN.id, 0, "it", "complete", "2026", "1 loss", content=content))
    with store._engine.begin() as connection:
        for statement in BEFORE_SEARCH:
            connection.execute(sa.text(statement))
    store.close()
    again = Store(tmp_path / "home")
    assert again.contents([PLAN.id]) == {PLAN.id: content}
    for wanted in (Filter(verdict=Verdict.GAIN), Filter(verdict=Verdict.LOSS, machine="node01")):
        assert [row.id for row in again.search(wanted).rows] == [PLAN.id]
    assert again.search(Filter(verdict=Verdict.EQUIVALENT)).total == 0
    again.close()


def _altered(folder: Path, file: str, change: object) -> Path:
    path = folder / file
    content = json.loads(path.read_text())
    change(content)  # type: ignore[operator]
    path.write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("blocks", 10**12, r"blocks: expected at most one a trial \(2\), got 1000000000000"),
        ("blocks", -5, "blocks: expected at most one a trial"),
        ("confidence", 1.0, "confidence: expected a share between 0 and 1, got 1"),
        ("confidence", 0, "confidence: expected a share between 0 and 1, got 0"),
        ("margin", 1e300, "margin: expected a share from 0 to below 1, got 1e\\+300"),
    ],
)
def test_a_design_that_none_can_be_is_refused(
    store: Store, tmp_path: Path, field: str, value: float, expected: str
) -> None:
    plan = plan_of(plan_trials(("spin",), blocks=1, seed=1, shape=Shape.PAIRS))
    folder = _altered(made(tmp_path / "usb", plan), "activity.json", lambda said: said.update({field: value}))
    with pytest.raises(RecordError, match=expected):
        store.import_folder(folder)
    assert store.activities() == ()


@pytest.mark.parametrize(
    ("path", "value"),
    [(("measurements", 0, "value"), 1e308), (("usage", "user_s"), 1e308), (("usage", "wall_s"), -1)],
)
def test_an_amount_that_nothing_measures_is_no_record(tmp_path: Path, path: tuple, value: float) -> None:
    def change(said: object) -> None:
        for part in path[:-1]:
            said = said[part]  # type: ignore[index]
        said[path[-1]] = value  # type: ignore[index]

    folder = made(tmp_path / "usb", PLAN, 1.0)
    file = f"trials/{TRIALS[0].name}/trial.json"
    with pytest.raises(RecordError, match=f"{path[-1] if path[0] == 'usage' else 'measurements'}: expected"):
        read_trial(_altered(folder, file, change) / "trials" / TRIALS[0].name)


def test_an_import_that_would_fill_the_disk_is_not_begun(tmp_path: Path) -> None:
    folder = made(tmp_path / "usb", PLAN, 1.0)
    with (folder / "trials" / TRIALS[0].name / "stdout").open("wb") as file:
        file.truncate(200 << 20)
    with small_disk(tmp_path / "small", "size=100m") as disk:
        opened = Store(disk / "home")
        with pytest.raises(
            MissingError, match=r"it takes 200.* MiB, the disk of .* has .* free, of which 64 MiB stay"
        ):
            opened.import_folder(folder)
        opened.close()
        assert not list((disk / "home").rglob("stdout"))
