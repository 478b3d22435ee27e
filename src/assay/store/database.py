"""Open the database, at the newest schema."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import sqlalchemy as sa

from assay.model.errors import AssayError, Exit, MissingError
from assay.store.tables import SCHEMA_REVISION

FILE = "assay.db"
BUSY_S = 30
"""Another assay may be writing; its transactions take milliseconds."""
FULL_HINT = "free some space there, or set ASSAY_HOME to a larger file system"


class NewerDatabaseError(AssayError):
    """The database was written by a newer assay."""

    exit_code = Exit.INPUT


def open_database(home: Path) -> sa.Engine:
    """Open ``assay.db`` in the home folder, made or migrated to the newest schema as needed.

    Raises:
        MissingError: The folder cannot be made or written.
        NewerDatabaseError: A newer assay has migrated it.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        _close_to_others(home / FILE)
        engine = sa.create_engine(f"sqlite:///{home / FILE}", connect_args={"timeout": BUSY_S})
        sa.event.listen(engine, "connect", _prepare)
        sa.event.listen(engine, "handle_error", _explain)
        with engine.connect() as connection:
            revision = _revision(connection)
    except (OSError, sa.exc.OperationalError) as error:
        reason = getattr(error, "orig", None) or error
        msg = f"cannot open the database in {home}: {reason}"
        raise MissingError(msg, hint="set ASSAY_HOME to a folder that you may write") from error
    if revision != SCHEMA_REVISION:
        _migrate(engine, home)
    return engine


def _close_to_others(file: Path) -> None:
    """Make the database, and what SQLite keeps beside it, its owner's alone: whoever may open it may lock it."""
    os.close(os.open(file, os.O_RDONLY | os.O_CREAT, 0o600))
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
    """Turn SQLite's words for a full disk and a lock that is held into errors for people, wherever they come up."""
    said = str(context.original_exception)
    place = context.engine.url.database if context.engine else None
    if "disk is full" in said:
        msg = f"cannot write {place}: its disk is full"
        raise MissingError(msg, hint=FULL_HINT) from context.original_exception
    if "database is locked" in said:
        msg = f"cannot write {place}: another process holds its lock for more than {BUSY_S} s"
        raise MissingError(
            msg, hint=f"wait for that process or end it: fuser -v {place}"
        ) from context.original_exception


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def _migrate(engine: sa.Engine, home: Path) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            msg = f"cannot open {home / FILE}: its schema is not known to this assay ({error})"
            raise NewerDatabaseError(msg, hint="use the assay that wrote it, or a newer one") from error
