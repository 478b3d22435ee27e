"""The database in a home: a file of SQLite, its owner's alone."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from assay.model.errors import MissingError
from assay.store.faults import DamagedDatabaseError
from assay.store.revision import FILE

LOCK = f"{FILE}.lock"
BUSY_S, POLL_S = 30, 0.05
"""Another assay may be writing; its transactions take milliseconds."""
FULL_HINT = "free some space there, or set ASSAY_HOME to a larger file system"
LEAST_BYTES = 1 << 20
"""Free bytes below which a disk that fails is a full one."""


def open_file(home: Path) -> sa.Engine:
    """Open ``assay.db`` in the home folder, made where it is not there.

    Raises:
        MissingError: The folder cannot be made or written.
        DamagedDatabaseError: The file is no database.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        _close_to_others(home / FILE)
    except OSError as error:
        raise _cannot_open(home, error.strerror) from error
    # a URL made of parts: in one written out, a '?' of the path would begin its options
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(home / FILE)), connect_args={"timeout": BUSY_S}
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "handle_error", _explain)
    return engine


@contextmanager
def opened_alone(home: Path) -> Iterator[None]:
    """Hold a file of its owner's alone while the database is opened; the kernel lets go when the holder dies.

    Raises:
        MissingError: Another process holds it for too long, or it cannot be made.
    """
    path = home / LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _cannot_open(home, error.strerror) from error
    try:
        end = time.monotonic() + BUSY_S
        while not _taken(lock):
            if time.monotonic() > end:
                msg = (
                    f"cannot open the database in {home}: another process holds {path} for more than "
                    f"{BUSY_S} s"
                )
                raise MissingError(msg, hint=f"wait for that process or end it: fuser -v {path}")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _cannot_open(home: Path, reason: object) -> MissingError:
    msg = f"cannot open the database in {home}: {reason}"
    return MissingError(msg, hint="set ASSAY_HOME to a folder that you may write")


def _close_to_others(file: Path) -> None:
    """Make the database, and what SQLite keeps beside it, its owner's alone: whoever may open it may lock it.

    Raises:
        DamagedDatabaseError: It is a link, which leads to a file that is not ours.
    """
    if file.is_symlink():
        raise DamagedDatabaseError(str(file), "expected a file, got a link")
    with contextlib.suppress(
        FileExistsError
    ):  # one that is there is not opened: to close it would end SQLite's own locks
        os.close(os.open(file, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))
    for path in (file, *(file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # another user's stays as it is
            if path.stat().st_mode & 0o077:
                path.chmod(0o600)


def _prepare(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _explain(context: sa.engine.ExceptionContext) -> None:
    """Turn SQLite's words into an error for people, wherever it comes up."""
    original = context.original_exception
    place = str(context.engine.url.database) if context.engine else FILE
    reason = str(original)
    if "disk is full" in reason or ("disk I/O error" in reason and _is_full(Path(place).parent)):
        msg = f"cannot write {place}: its disk is full"
        raise MissingError(msg, hint=FULL_HINT) from original
    if "database is locked" in reason:
        msg = f"cannot write {place}: another process holds its lock for more than {BUSY_S} s"
        raise MissingError(msg, hint=f"wait for that process or end it: fuser -v {place}") from original
    if isinstance(original, sqlite3.OperationalError) and not reason.startswith(_FOREIGN):
        raise _cannot_open(Path(place).parent, reason) from original
    if type(original) is sqlite3.DatabaseError or isinstance(original, sqlite3.OperationalError):
        raise DamagedDatabaseError(place, reason) from original


def _is_full(folder: Path) -> bool:
    """Tell whether the disk has no room for SQLite's own files: it then says only that the disk failed."""
    return shutil.disk_usage(folder).free < LEAST_BYTES


_FOREIGN = (
    "no such table",
    "no such column",
    "table ",
    "near ",
    "malformed",
    "index ",
    "there is already",
    "duplicate column",
    "Could not decode",
)
"""How SQLite begins to say that a database has other tables than assay's."""
