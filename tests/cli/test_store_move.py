"""The database on a server: moved there and back, and shared by several controllers."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.model.machines.machine import Fingerprint
from assay.store.fingerprints import write_fingerprint
from assay.store.move import OF_ACTIVITIES
from assay.store.record import read_activity, write_activity
from assay.store.store import Store
from assay.store.tables import metadata
from tests.builders import FACTS
from tests.cli.conftest import home_with_result
from tests.command import run
from tests.postgres import Server
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import laid

OTHER = "bbbb0000"


@pytest.fixture
def address(postgresql: Server, tmp_path: Path) -> str:
    return postgresql.database(str(tmp_path))


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """Return another home, with a result of its own and a machine."""
    home = home_with_result(tmp_path / "second")
    folder = home / "activities" / OTHER
    (home / "activities" / PLAN.id).rename(folder)
    write_activity(folder, replace(read_activity(folder), id=OTHER, created_ns=PLAN.created_ns + 10**9))
    for record in folder.glob("trials/*/trial.json"):
        record.write_text(record.read_text().replace(PLAN.id, OTHER))
    for file in home.glob("assay.db*"):
        file.unlink()
    assert run("store", "rebuild", home=home).code == 0
    return home


def moved(home: Path, address: str, name: str) -> None:
    done = run("store", "move", address, "--controller", name, home=home)
    assert done.code == 0, done.err


def test_a_home_is_moved_to_a_server_and_back_and_lists_the_same(measured: Path, address: str) -> None:
    lists = (("result", "list"), ("activity", "list"), ("machine", "list"), ("result", "show", "last"))
    before = [run(*words, home=measured).out for words in lists]
    done = run("store", "move", address, "--controller", "ctl01", "--json", home=measured)
    assert done.code == 0, done.err
    assert done.page["database"] == address
    assert (done.page["activities"], done.page["left_out"]) == (1, [])
    assert not (measured / "assay.db").exists()
    assert Path(done.page["kept"]).exists()
    assert (measured / "database.json").stat().st_mode & 0o077 == 0
    assert [run(*words, home=measured).out for words in lists] == before
    assert run("store", "move", "file", home=measured).code == 0
    assert not (measured / "database.json").exists()
    assert [run(*words, home=measured).out for words in lists] == before


def test_a_move_leaves_nothing_of_a_home_on_the_server_when_it_leaves(measured: Path, address: str) -> None:
    folder = measured / "activities" / PLAN.id
    (folder / "facts").mkdir(exist_ok=True)
    for boot in {json.loads(file.read_text())["boot"] for file in folder.glob("trials/*/trial.json")}:
        write_fingerprint(folder / "facts" / f"{boot}.json", Fingerprint(FACTS, {}, 5))
    for words in (("store", "rebuild"), ("result", "tag", "last", "paper"), ("result", "list")):
        assert run(*words, home=measured).code == 0
    before = counted(f"sqlite:///{measured}/assay.db")
    moved(measured, address, "ctl01")
    there = counted(address.replace("postgresql:", "postgresql+psycopg:"))
    assert there == before | {"controller": 1}
    assert {table.name for table in OF_ACTIVITIES if not there[table.name]} <= {"doubt"}
    assert run("store", "move", "file", home=measured).code == 0
    left = counted(address.replace("postgresql:", "postgresql+psycopg:"))
    assert {name for name, count in left.items() if count} <= {"machine", "health"}
    assert counted(f"sqlite:///{measured}/assay.db") == before


def counted(url: str) -> dict[str, int]:
    """Return the number of rows of each table of a database."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        counts = {
            table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }
    engine.dispose()
    return counts


def test_every_table_goes_along() -> None:
    others = {"machine", "health", "controller", "activity", "fleet", "fleet_summary"}
    assert {table.name for table in OF_ACTIVITIES} == {*metadata.tables} - others


def test_a_home_takes_the_place_of_one_that_is_lost(measured: Path, second: Path, address: str) -> None:
    moved(measured, address, "ctl01")
    backup = measured.parent / "backup.tar.gz"
    assert run("store", "backup", str(backup), home=measured).code == 0
    again = measured.parent / "again"
    assert run("store", "restore", str(backup), home=again).code == 0
    refused = run("store", "move", address, "--controller", "ctl01", home=again)
    assert (refused.code, "--replace" in refused.err) == (3, True)
    moved(second, address, "ctl02")
    for where in (address, "file"):  # whoever is there already takes nobody's place
        wrong = run("store", "move", where, "--controller", "ctl01", "--replace", home=second)
        assert (wrong.code, "expected a home with a file of its own" in wrong.err) == (3, True)
    done = run("store", "move", address, "--controller", "ctl01", "--replace", home=again)
    assert done.code == 0, done.err
    listed = run("activity", "list", "--json", home=again).page["activities"]
    assert [(one["id"], one["controller"]) for one in listed] == [(OTHER, "ctl02"), (PLAN.id, None)]
    seen = run("activity", "list", "--json", home=second).page["activities"]
    assert [(one["id"], one["controller"]) for one in seen] == [(OTHER, None), (PLAN.id, "ctl01")]


def test_what_lists_say_of_several_machines_goes_along_and_other_controllers_see_it(
    measured: Path, second: Path, address: str, postgresql: Server
) -> None:
    store = Store(measured)
    store.import_fleet(laid(measured))
    store.close()
    (before,) = run("result", "list", "--json", home=measured).page["fleets"]
    moved(measured, address, "ctl01")
    moved(second, address, "ctl02")
    name = address.split("/")[3].partition("?")[0]
    kept = "SELECT headline FROM fleet_summary"
    assert postgresql.sql(kept, name) == before["headline"]
    assert run("result", "list", "--json", home=measured).page["fleets"] == [before]
    (seen,) = run("result", "list", "--json", home=second).page["fleets"]
    assert (seen["headline"], seen["controller"]) == (before["headline"], "ctl01")
    assert f"{before['headline']}  ctl01" in run("result", "list", home=second).out
    assert run("store", "move", "file", home=measured).code == 0
    assert postgresql.sql(kept, name) == ""
    assert run("result", "list", "--json", home=measured).page["fleets"] == [before]


def test_two_controllers_see_what_each_has_measured(measured: Path, second: Path, address: str) -> None:
    moved(measured, address, "ctl01")
    moved(second, address, "ctl02")
    listed = json.loads(run("activity", "list", "--json", home=measured).out)["activities"]
    assert [(one["id"], one["controller"]) for one in listed] == [(OTHER, "ctl02"), (PLAN.id, None)]
    run("result", "list", home=second)
    results = json.loads(run("result", "list", "--json", home=measured).out)["results"]
    assert [(one["id"], one["controller"]) for one in results] == [(OTHER, "ctl02"), (PLAN.id, None)]
    assert results[0]["estimates"] == results[1]["estimates"]
    assert OTHER in run("result", "list", home=measured).out
    assert f"activity {PLAN.id}" in run("activity", "show", "last", home=measured).out
    assert f"activity {OTHER}" in run("activity", "show", "last", home=second).out


def test_a_machine_that_one_controller_adds_is_known_to_the_other(
    measured: Path, second: Path, address: str
) -> None:
    moved(measured, address, "ctl01")
    moved(second, address, "ctl02")
    machines = measured / "farm.yaml"
    machines.write_text("machines: [{name: node01, ssh: root@192.0.2.1}]\n")
    done = run("machine", "import", str(machines), home=measured)
    assert done.code == 0, done.err
    assert "node01" in run("machine", "list", home=second).out


def test_records_of_another_controller_are_told_where_they_are_and_read_from_a_copy(
    measured: Path, second: Path, address: str
) -> None:
    moved(measured, address, "ctl01")
    moved(second, address, "ctl02")
    away = second.parent / "elsewhere"
    second.rename(away)
    for words in (("result", "show"), ("activity", "resume"), ("report",), ("explain",)):
        done = run(*words, OTHER, home=measured)
        assert done.code == 3, done.err
        expected = (
            f"cannot read {OTHER}: its records are with the controller 'ctl02', in {second}/activities/"
        )
        assert expected in done.err
    copy = shutil.copytree(away / "activities" / OTHER, measured.parent / "usb")
    done = run("result", "import", str(copy), home=measured)
    assert done.code == 0, done.err
    done = run("result", "show", OTHER, home=measured)
    assert done.code == 0, done.err
    assert f"result {OTHER} was measured by the controller 'ctl02'" in done.err
    done = run("activity", "resume", OTHER, home=measured)
    assert f"cannot resume activity {OTHER}: it was measured by the controller 'ctl02'" in done.err
    away.rename(second)
    listed = json.loads(run("activity", "list", "--json", home=second).out)["activities"]
    assert {one["id"]: one["controller"] for one in listed} == {OTHER: None, PLAN.id: "ctl01"}


def test_two_homes_are_not_called_the_same(measured: Path, second: Path, address: str) -> None:
    moved(measured, address, "ctl01")
    done = run("store", "move", address, "--controller", "ctl01", home=second)
    assert done.code == 3
    assert "cannot be the controller 'ctl01' of" in done.err
    assert f"it is {measured} of" in done.err
    assert "--controller NAME" in done.err
    assert (second / "assay.db").exists()
    assert not (second / "database.json").exists()


def test_the_same_result_of_two_homes_is_refused_and_an_import_of_it_left_out(
    measured: Path, tmp_path: Path, address: str
) -> None:
    twin, reader = home_with_result(tmp_path / "twin"), tmp_path / "reader"
    imported = shutil.copytree(measured / "activities" / PLAN.id, tmp_path / "usb")
    assert run("result", "import", str(imported), home=reader).code == 0
    moved(measured, address, "ctl01")
    done = run("store", "move", address, "--controller", "ctl02", home=twin)
    assert (done.code, f"activity {PLAN.id} is another controller's there" in done.err) == (3, True)
    done = run("store", "move", address, "--controller", "ctl03", home=reader)
    assert done.code == 0, done.err
    assert f"result {PLAN.id} stays with the controller that has measured it" in done.err
    assert run("result", "show", PLAN.id, home=reader).code == 0


def test_rows_on_a_server_are_made_anew_from_the_records_of_this_home_alone(
    measured: Path, second: Path, address: str, postgresql: Server
) -> None:
    moved(measured, address, "ctl01")
    moved(second, address, "ctl02")
    name = address.split("/")[3].partition("?")[0]
    postgresql.sql("DELETE FROM measurement", name)
    done = run("store", "rebuild", "--json", home=measured)
    assert done.code == 0, done.err
    assert (done.page["activities"], done.page["kept"]) == ([PLAN.id], None)
    count = "SELECT count(*) FROM measurement WHERE activity = "
    assert int(postgresql.sql(f"{count}'{PLAN.id}'", name)) > 0
    assert postgresql.sql(f"{count}'{OTHER}'", name) == "0"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("mysql://db/assay", "expected an address of PostgreSQL, got 'mysql'"),
        ("nonsense", "expected an address of PostgreSQL, got no address"),
        ("postgresql://assay@db.example.org", "expected an address of PostgreSQL, got no database in it"),
        (
            "postgresql://assay:secret@db/assay",
            "expected no password in an address",
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(measured: Path, address: str, expected: str) -> None:
    done = run("store", "move", address, home=measured)
    assert done.code == 3
    assert expected in done.err
    assert "secret" not in done.err
    assert (measured / "assay.db").exists()


def test_a_server_that_is_not_there_or_lets_us_not_in_is_named(
    measured: Path, postgresql: Server, tmp_path: Path
) -> None:
    done = run("store", "move", f"postgresql://assay@/x?host={tmp_path}", home=measured)
    assert done.code == 4
    assert f"cannot reach the database postgresql://assay@/x?host={tmp_path}" in done.err
    done = run("store", "move", f"postgresql://nobody@/postgres?host={postgresql.folder}", home=measured)
    assert done.code == 4
    assert 'role "nobody" does not exist' in done.err
    done = run("store", "move", f"postgresql://postgres@/none?host={postgresql.folder}", home=measured)
    assert 'database "none" does not exist' in done.err
    assert (measured / "assay.db").exists()


def test_a_file_that_says_where_the_database_is_and_is_damaged_is_named(measured: Path) -> None:
    (measured / "database.json").write_text("{}")
    done = run("result", "list", home=measured)
    assert done.code == 3
    assert f"cannot read {measured}/database.json: expected an address and a name" in done.err


def test_a_database_of_another_program_is_refused(measured: Path, address: str, postgresql: Server) -> None:
    name = address.split("/")[3].partition("?")[0]
    postgresql.sql("CREATE TABLE machine (x int)", name)
    done = run("store", "move", address, home=measured)
    assert done.code in {3, 4}
    assert "cannot read the database" in done.err
    assert (measured / "assay.db").exists()
    assert run("result", "show", "last", home=measured).code == 0


def test_python_opens_what_controllers_share(measured: Path, second: Path, address: str) -> None:
    import assay

    for home, name in ((measured, "ctl01"), (second, "ctl02")):
        moved(home, address, name)
        assert run("result", "list", home=home).code == 0
    with assay.open(address) as shared:
        assert repr(shared) == f"<assay home {address}: 2 results>"
        assert {row["id"] for row in shared.results()} == {PLAN.id, OTHER}
        assert {row["result"] for row in shared.losses()} == {PLAN.id, OTHER}
        assert shared.load(OTHER).page.result.id == OTHER, "its records are on a disk that both see"
        place = shared.path
    assert not place.exists()


def test_another_address_of_the_same_database_loses_no_row(measured: Path, address: str) -> None:
    moved(measured, address, "ctl01")
    before = run("result", "list", home=measured).out
    done = run(
        "store", "move", f"{address}&application_name=x", "--controller", "ctl01", "--json", home=measured
    )
    assert done.code == 0, done.err
    assert (done.page["activities"], done.page["kept"]) == (1, None)
    assert run("result", "list", home=measured).out == before


def test_a_controller_gets_another_name(measured: Path, second: Path, address: str) -> None:
    moved(measured, address, "ctl01")
    moved(second, address, "ctl02")
    moved(measured, address, "ctl03")
    listed = json.loads(run("activity", "list", "--json", home=second).out)["activities"]
    assert {one["id"]: one["controller"] for one in listed} == {OTHER: None, PLAN.id: "ctl03"}
    done = run("store", "move", address, "--controller", "ctl02", home=measured)
    assert (done.code, "cannot be the controller 'ctl02' of" in done.err) == (3, True)
    for name in ("a b", "../x", "x" * 65):
        done = run("store", "move", address, "--controller", name, home=measured)
        assert (done.code, "expected at most 64 letters" in done.err) == (3, True)
