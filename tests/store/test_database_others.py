"""The database is its owner's alone, and one that another holds is told in time."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.design import plan_trials
from assay.model.errors import MissingError
from assay.store import sqlite
from assay.store.database import open_database
from assay.store.faults import DamagedDatabaseError
from assay.store.revision import FILE
from assay.store.store import Store
from tests.builders import plan_of
from tests.small_disk import small_disk

FILES = (FILE, f"{FILE}-wal", f"{FILE}-shm")


def modes(home: Path) -> set[int]:
    return {(home / name).stat().st_mode & 0o777 for name in FILES if (home / name).exists()}


def look(home: Path) -> None:
    """Read all that commands list."""
    with closing(Store(home)) as store:
        store.activities()
        store.machines()


def write(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE IF NOT EXISTS x (a)"))


def test_a_new_database_and_what_lies_beside_it_are_the_owner_s_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        engine = open_database(tmp_path)
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE x (a)"))
            assert (tmp_path / f"{FILE}-shm").exists()
            assert modes(tmp_path) == {0o600}
        engine.dispose()
    finally:
        os.umask(before)


def test_a_database_of_an_earlier_assay_is_closed_to_others(tmp_path: Path) -> None:
    write(open_database(tmp_path))
    for name in FILES:
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    write(open_database(tmp_path))
    assert modes(tmp_path) == {0o600}


def test_a_database_that_another_holds_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_database(tmp_path).dispose()
    monkeypatch.setattr(sqlite, "BUSY_S", 0.1)
    engine = open_database(tmp_path)
    other = sqlite3.connect(tmp_path / FILE)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(
        MissingError, match=rf"cannot write {tmp_path}/{FILE}: another process holds its lock"
    ) as error:
        write(engine)
    assert error.value.hint == f"wait for that process or end it: fuser -v {tmp_path / FILE}"
    other.close()
    write(engine)
    engine.dispose()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE activity SET state = 'zzz'",
        "UPDATE activity SET folder = x'ff00'",
        "UPDATE activity SET created_ns = 'abc'",
        "UPDATE activity SET created_ns = 9e300",
        "UPDATE activity SET title = CAST(x'ff80' AS TEXT)",
        "INSERT INTO machine (name, reach) VALUES ('m1', 'zzz')",
        "UPDATE alembic_version SET version_num = '0001'",
    ],
)
def test_values_that_assay_never_writes_are_damage_and_the_database_can_be_made_anew(
    tmp_path: Path, damage: str
) -> None:
    store = Store(tmp_path)
    store.add_activity(plan_of(plan_trials(("spin",), blocks=1, seed=1)), tmp_path / "activities/0123abcd")
    store.close()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute(damage)
    with pytest.raises(DamagedDatabaseError, match=f"cannot read the database {tmp_path}/{FILE}") as error:
        look(tmp_path)
    assert "assay store rebuild" in (error.value.hint or "")


def test_a_link_in_the_place_of_the_database_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("of somebody")
    victim.chmod(0o644)
    for name, target in (("one", victim), ("two", tmp_path / "absent")):
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE).symlink_to(target)
        with pytest.raises(DamagedDatabaseError, match="expected a file, got a link"):
            open_database(tmp_path / name)
    assert victim.stat().st_mode & 0o777 == 0o644
    assert not (tmp_path / "absent").exists()


def test_a_full_disk_is_named_when_the_database_is_opened(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", "size=2m") as disk:
        open_database(disk / "home").dispose()
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        with pytest.raises(MissingError, match="its disk is full"):
            write(open_database(disk / "home"))
