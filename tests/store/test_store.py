"""What is kept, by name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityState
from assay.model.doubt import Doubt
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.model.trial import State
from assay.model.work.disturbance import Cause, HostOver
from assay.model.work.observation import Observation
from assay.model.work.placement import PlacementSpec
from assay.store.record import (
    RecordError,
    read_activity,
    read_rejected,
    read_trial,
    read_trials,
    write_activity,
    write_trial,
)
from assay.store.store import Store
from tests.builders import clock_check, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=1, seed=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "home")
    yield opened
    opened.close()


def kept(store: Store, *values: float | None, **changes: object) -> Path:
    """Write an activity's folder with a record a value, and return it."""
    plan = plan_of(TRIALS, **changes)
    folder = store.home / "activities" / plan.id
    for planned, value in zip(TRIALS, values, strict=False):
        place = folder / "trials" / planned.name
        place.mkdir(parents=True)
        write_trial(place, replace(record_of(planned, value), activity=plan.id))
    folder.mkdir(parents=True, exist_ok=True)
    write_activity(folder, plan)
    return folder


def test_this_machine_is_always_in_the_inventory_and_cannot_leave_it(store: Store) -> None:
    assert [machine.name for machine in store.machines()] == ["local"]
    with pytest.raises(AssayError, match="it is this machine"):
        store.remove_machines(["local"])


def test_a_machine_is_found_as_it_was_added(store: Store) -> None:
    added = Machine("node", Reach.SSH, "node.site", "root", 2222, None, "/keys/id")
    store.add_machines([Entry(added)])
    assert Store(store.home).machine("node") == added
    assert store.add_machines([Entry(added)]) == ()
    with pytest.raises(AssayError, match="taken"):
        store.add_machines([Entry(Machine("node", Reach.SSH, "other.site"))])
    store.remove_machines(["node"])
    with pytest.raises(UnknownNameError, match="unknown machine 'node'"):
        store.machine("node")


def test_a_wrong_name_lists_the_nearest(store: Store) -> None:
    store.add_machines([Entry(Machine("node-one", Reach.SSH, "h"))])
    with pytest.raises(UnknownNameError, match="nearest: 'node-one'"):
        store.machine("node-on")


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    trial = record_of(TRIALS[0], 0.1 + 0.2, clock=clock_check(1.003), doubts=(Doubt("steal", "5 %"),))
    write_trial(tmp_path, trial)
    assert read_trial(tmp_path) == trial


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": [2, 0]}, "written in format 2"),
        ({"version": 3}, "expected a version, .major, minor., got 3"),
        ({"schema": "other"}, "expected a file of schema"),
        ({"state": "great"}, "state"),
        ({"planned": None}, "planned"),
    ],
)
def test_a_record_of_another_kind_is_refused(tmp_path: Path, change: dict, message: str) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0))
    file = tmp_path / "trial.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RecordError, match=message):
        read_trial(tmp_path)


def test_a_damaged_record_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "trial.json").write_text('{"schema": "assay.rec')
    with pytest.raises(RecordError, match=str(tmp_path)):
        read_trial(tmp_path)


def test_a_record_of_a_newer_minor_version_is_read(tmp_path: Path) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0))
    file = tmp_path / "trial.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": [1, 9], "colour": "blue"}))
    assert read_trial(tmp_path).measurements[0].value == 1.0


def test_an_activity_is_listed_with_its_trials_counted(store: Store) -> None:
    store.add_activity(plan_of(TRIALS), store.home)
    store.add_record(record_of(TRIALS[0], 1.0))
    store.add_record(record_of(TRIALS[1], None, state=State.FAILED, measurements=(), cause="it broke"))
    store.add_record(record_of(TRIALS[1], None, state=State.FAILED, measurements=(), cause="it broke"))
    row = store.activity("last")
    assert (row.trials, row.ended, row.failed, row.state) == (3, 1, 1, ActivityState.RUNNING)


def test_a_whole_id_is_asked_for_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add_activity(plan_of(TRIALS, id="aa110000"), Path("/f"))
    monkeypatch.setattr(store, "activities", lambda: pytest.fail("all of a large store were read"))
    assert store.activity("aa110000").id == "aa110000"


def test_a_unique_beginning_names_an_activity_and_a_shared_one_does_not(store: Store) -> None:
    store.add_activity(plan_of(TRIALS, id="aa11"), store.home)
    store.add_activity(plan_of(TRIALS, id="aa22", created_ns=1_800_000_000_000_000_000), store.home)
    assert store.activity("aa1").id == "aa11"
    assert store.activity("last").id == "aa22"
    with pytest.raises(AssayError, match="aa22, aa11 begin so"):
        store.activity("aa")
    with pytest.raises(UnknownNameError):
        store.activity("zz")


def test_no_activity_yet_says_what_to_type(store: Store) -> None:
    with pytest.raises(AssayError, match="none yet") as caught:
        store.activity("last")
    assert caught.value.hint == "assay evaluate quick"


def test_the_database_is_rebuilt_from_an_activity_s_folder(store: Store, tmp_path: Path) -> None:
    folder = kept(store, 1.0, 2.0, 3.0)
    other = Store(tmp_path / "other")
    assert other.import_folder(folder) == "0123abcd"
    assert other.import_folder(folder) == "0123abcd"
    row = other.activity("0123")
    assert (row.ended, row.failed, row.state) == (3, 0, ActivityState.COMPLETE)
    assert [record.measurements[0].value for record in read_trials(row.folder)] == [1.0, 2.0, 3.0]


def test_a_folder_with_records_missing_is_imported_as_interrupted(store: Store) -> None:
    store.import_folder(kept(store, 1.0, 2.0))
    assert store.activity("last").state is ActivityState.INTERRUPTED


def test_a_folder_that_is_no_activity_s_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"activity\.json"):
        store.import_folder(tmp_path)


def test_a_record_of_another_activity_in_the_folder_is_refused(store: Store) -> None:
    folder = kept(store, 1.0)
    write_trial(folder / "trials" / TRIALS[0].name, record_of(TRIALS[0], 1.0, activity="ffff0000"))
    with pytest.raises(AssayError, match="ffff0000"):
        store.import_folder(folder)


def kind_of(column: object) -> str:
    """Return what a column holds: SQLite keeps the length that an older schema gave a text."""
    name = re.sub(r"\(\d+\)", "", str(column))
    return {"VARCHAR": "TEXT", "DOUBLE PRECISION": "FLOAT", "DOUBLE_PRECISION": "FLOAT"}.get(name, name)


def test_the_tables_are_what_the_migrations_make(store: Store) -> None:
    import sqlalchemy as sa

    from assay.store.tables import metadata

    made = sa.inspect(store._engine)
    assert set(made.get_table_names()) == {*metadata.tables, "alembic_version"}
    for name, table in metadata.tables.items():
        found = {column["name"]: column for column in made.get_columns(name)}
        assert set(found) == {column.name for column in table.columns}
        for column in table.columns:
            assert kind_of(found[column.name]["type"]) == kind_of(column.type)
            assert found[column.name]["nullable"] == column.nullable
        assert made.get_pk_constraint(name)["constrained_columns"] == [one.name for one in table.primary_key]
        keys = {
            (
                *key["constrained_columns"],
                key["referred_table"],
                *key["referred_columns"],
                *key["options"].items(),
            )
            for key in made.get_foreign_keys(name)
        }
        assert keys == {
            (
                *one.column_keys,
                one.referred_table.name,
                *(to.column.name for to in one.elements),
                ("ondelete", one.ondelete),
            )
            for one in table.foreign_key_constraints
        }


def test_a_database_of_a_newer_assay_is_refused(store: Store) -> None:
    import sqlalchemy as sa

    with store._engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(AssayError, match="not known to this assay"):
        Store(store.home)


@pytest.mark.one_make
def test_a_home_that_cannot_be_written_is_one_clear_error() -> None:
    with pytest.raises(AssayError, match="cannot open the database in /proc/nowhere"):
        Store(Path("/proc/nowhere"))


def test_the_newest_migration_is_the_one_that_the_tables_name() -> None:
    from assay.store import migrations
    from assay.store.revision import SCHEMA_REVISION

    versions = Path(str(migrations.__file__)).parent / "versions"
    assert max(file.name for file in versions.glob("0*.py")).startswith(SCHEMA_REVISION)


def test_opening_a_current_database_does_not_load_the_migrations(store: Store) -> None:
    code = (
        "import sys; from pathlib import Path; from assay.store.store import Store; "
        f"Store(Path({str(store.home)!r})).close(); sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_records_of_an_older_minor_version_are_read_with_what_they_do_not_tell_as_absence() -> None:
    old = Path(__file__).parent / "records" / "1.0"
    assert read_activity(old).observation == Observation()
    assert read_activity(old).workloads[0].placement == PlacementSpec()
    (trial,) = read_trials(old)
    assert trial.usage is not None
    assert (trial.usage.minor_faults, trial.copies, trial.phases, trial.scope) == (None, (), (), None)


def test_a_rejected_trial_is_kept_beside_the_trials_and_never_counted_as_one(store: Store) -> None:
    folder = kept(store, 1.0, 2.0, 3.0)
    place = folder / "rejected" / f"{TRIALS[0].name}.1"
    place.mkdir(parents=True)
    host = HostOver(4.0, (1,), 2.0, 0.0, None, None, 0, 0.0)
    rejected = record_of(TRIALS[0], 9.0, host=host, disturbed_by=(Cause.FOREIGN_CPU,))
    write_trial(place, rejected)
    assert list(read_rejected(folder)) == [rejected]
    assert [trial.measurements[0].value for trial in read_trials(folder)] == [1.0, 2.0, 3.0]
    row = store.activity(store.import_folder(folder))
    assert (row.trials, row.ended, row.failed, row.state) == (3, 3, 0, ActivityState.COMPLETE)
