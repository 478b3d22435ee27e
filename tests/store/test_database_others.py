"""The database is its owner's alone, and one that another holds is told in time."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.model.errors import MissingError
from assay.store import database
from assay.store.database import FILE, open_database

FILES = (FILE, f"{FILE}-wal", f"{FILE}-shm")


def modes(home: Path) -> set[int]:
    return {(home / name).stat().st_mode & 0o777 for name in FILES if (home / name).exists()}


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
    monkeypatch.setattr(database, "BUSY_S", 0.1)
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
