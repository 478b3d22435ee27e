"""Databases that are damaged, another program's, at odd places, or opened by several processes at once."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.model.errors import Exit, MissingError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.platforms.claims import claim, release
from assay.store.database import open_database
from assay.store.faults import DamagedDatabaseError
from assay.store.rebuild import rebuild
from assay.store.revision import FILE
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN

HINT = "hint: assay store rebuild"
NOW = datetime(2026, 11, 21, 13, 18, 20, tzinfo=UTC)


def garbage(path: Path) -> None:
    path.write_bytes(b"not a database, and longer than a page's head\n" * 100)


def cut(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwritten(path: Path) -> None:
    cut(path)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8000)


def foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE trial (x)")
    connection.commit()
    connection.close()


def other_columns(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE activity")
    connection.execute("CREATE TABLE activity (id TEXT)")
    connection.commit()
    connection.close()


def lost_table(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE activity")
    connection.commit()
    connection.close()


DAMAGES: dict[str, Callable[[Path], None]] = {
    one.__name__: one for one in (garbage, cut, overwritten, foreign, other_columns, lost_table)
}


def forget_journal(home: Path) -> None:
    for suffix in ("-wal", "-shm"):
        (home / f"{FILE}{suffix}").unlink(missing_ok=True)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_database_is_one_line_and_a_rebuild_brings_all_results_back(
    damage: str, measured: Path
) -> None:
    good = run("activity", "list", "--json", home=measured)
    DAMAGES[damage](measured / FILE)
    if damage not in ("other_columns", "lost_table"):
        forget_journal(measured)
    done = run("activity", "list", home=measured)
    assert (done.code, done.out) == (Exit.INPUT, "")
    assert done.err.startswith(f"error: cannot read the database {measured / FILE}: ")
    assert HINT in done.err
    made = run("store", "rebuild", home=measured)
    assert made.code == 0, made.err
    assert "1 activities" in made.out or "1 activity" in made.out
    assert run("activity", "list", "--json", home=measured).page == good.page
    assert run("result", "show", "last", home=measured).code == 0
    assert len(list(measured.glob(f"{FILE}.2*Z"))) == 1


def test_what_a_rebuild_reads_is_activity_json_and_trial_json_alone(measured: Path) -> None:
    good = run("activity", "list", "--json", home=measured).page
    before = run("result", "show", "last", "--json", home=measured).page
    for file in [*measured.rglob("*")]:
        if file.is_file() and file.name not in ("activity.json", "trial.json"):
            file.unlink()
    assert rebuild(measured, now=NOW).activities == (PLAN.id,)
    assert run("activity", "list", "--json", home=measured).page == good
    after = run("result", "show", "last", "--json", home=measured).page
    assert before["estimates"]
    assert before["estimates"][0]["loss"] is not None
    for part in ("estimates", "trials", "result"):
        assert after[part] == before[part], part


def test_a_rebuild_keeps_the_old_database_and_takes_its_machines_over(measured: Path) -> None:
    store = Store(measured)
    store.add_machines([Entry(Machine("node", Reach.SSH, host="node.site"), ("farm",))])
    store.close()
    made = rebuild(measured, now=NOW)
    assert made.kept == measured / f"{FILE}.2026-11-21T131820.000000Z"
    assert made.kept.is_file()
    assert made.machines == ("node",)
    store = Store(measured)
    assert [machine.name for machine in store.machines()] == ["local", "node"]
    store.close()
    garbage(measured / FILE)
    forget_journal(measured)
    done = run("store", "rebuild", "--json", home=measured)
    assert done.page["machines"] is None
    assert "add them again: assay machine add" in done.err


def test_a_rebuild_takes_over_looks_at_machines_and_results_that_are_elsewhere(
    measured: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "usb"
    (measured / "activities" / PLAN.id).rename(elsewhere)
    home = tmp_path / "other"
    store = Store(home)
    store.import_folder(elsewhere, link=True)
    store.add_health([Health("local", at_ns=at_ns, busy=0.5) for at_ns in (10**9, 2 * 10**9)])
    store.close()
    assert rebuild(home, now=NOW).activities == (PLAN.id,)
    store = Store(home)
    assert [look.at_ns for look in store.health("local")] == [10**9, 2 * 10**9]
    (row,) = store.activities()
    assert (row.folder, row.origin) == (elsewhere, str(elsewhere))
    store.close()
    elsewhere.rename(tmp_path / "gone")
    made = rebuild(home, now=NOW.replace(hour=14))
    assert (made.activities, [place for place, _ in made.left_out]) == ((), [elsewhere])


def test_a_folder_that_cannot_be_read_is_left_out_and_told(measured: Path) -> None:
    bad = measured / "activities" / "ffff0000"
    bad.mkdir()
    (bad / "activity.json").write_text("{")
    done = run("store", "rebuild", home=measured)
    assert done.code == Exit.PARTIAL
    assert f"warning: {bad} is left out: cannot read" in done.err
    assert [row["id"] for row in run("activity", "list", "--json", home=measured).page["activities"]] == [
        PLAN.id
    ]


def test_nothing_is_rebuilt_below_an_activity_that_runs(measured: Path) -> None:
    claim(measured, PLAN.id)
    try:
        done = run("store", "rebuild", home=measured)
    finally:
        release(measured, PLAN.id)
    assert done.code == Exit.MISSING
    assert f"activity {PLAN.id} is running" in done.err


def test_a_home_without_a_database_gets_one(tmp_path: Path) -> None:
    assert rebuild(tmp_path, now=NOW).kept is None
    assert (tmp_path / FILE).is_file()


def test_processes_that_open_a_new_home_at_once_all_can(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from assay.store.store import Store; "
        "Store(Path(sys.argv[1])).close()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "home")]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 4


def test_a_migration_that_is_cut_off_leaves_nothing_half_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic import op

    made = op.create_table

    def fail(name: str, *columns: object) -> None:
        if name == "trial":
            raise KeyboardInterrupt
        made(name, *columns)

    with monkeypatch.context() as patch:
        patch.setattr(op, "create_table", fail)
        with pytest.raises(KeyboardInterrupt):
            open_database(tmp_path)
    Store(tmp_path).close()


@pytest.mark.parametrize("name", ["a?b", "a%20b", "a#b", "a b", "mode=ro?x=1", "größe"])
def test_the_database_lies_in_the_home_whatever_the_home_is_called(name: str, tmp_path: Path) -> None:
    Store(tmp_path / name).close()
    assert (tmp_path / name / FILE).is_file()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("home", ["~nosuchuser/x", "/tmp/\udcff"])
def test_a_home_that_is_no_folder_is_refused_in_one_line(home: str) -> None:
    done = run("activity", "list", variables={"ASSAY_HOME": home})
    assert (done.code, done.out) == (Exit.INPUT, "")
    assert done.err.startswith("error: cannot use the home folder ")
    assert "hint: set ASSAY_HOME" in done.err


def test_a_home_in_a_file_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MissingError, match="cannot open the database in"):
        open_database(tmp_path / "file")
    (tmp_path / "dir" / FILE).mkdir(parents=True)
    with pytest.raises((MissingError, DamagedDatabaseError), match="database"):
        open_database(tmp_path / "dir")


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", 2**63), ("created_ns", -(2**70)), ("title", "half \ud83d"), ("seed", "9" * 5000)],
)
def test_a_plan_with_what_no_database_takes_is_refused_in_one_line(
    field: str, value: object, measured: Path
) -> None:
    file = measured / "activities" / PLAN.id / "activity.json"
    text = json.dumps(json.loads(file.read_text()) | {field: value})
    file.write_text(text.replace(f'"{"9" * 5000}"', "9" * 5000))
    done = run("result", "import", str(file.parent), home=measured)
    assert (done.code, done.out) == (Exit.INPUT, ""), done.err
    assert done.err.startswith("error: cannot ")
    assert str(file.parent) in done.err
