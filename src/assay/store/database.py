"""Open the database, at the newest schema."""

from __future__ import annotations

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
        engine = sa.create_engine(f"sqlite:///{home / FILE}", connect_args={"timeout": BUSY_S})
        sa.event.listen(engine, "connect", _prepare)
        sa.event.listen(engine, "handle_error", _explain_full_disk)
        with engine.connect() as connection:
            revision = _revision(connection)
    except (OSError, sa.exc.OperationalError) as error:
        reason = getattr(error, "orig", None) or error
        msg = f"cannot open the database in {home}: {reason}"
        raise MissingError(msg, hint="set ASSAY_HOME to a folder that you may write") from error
    if revision != SCHEMA_REVISION:
        _migrate(engine, home)
    return engine


def _prepare(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _explain_full_disk(context: sa.engine.ExceptionContext) -> None:
    """Turn SQLite's word for a full disk into an error for people, wherever it comes up."""
    if "disk is full" in str(context.original_exception):
        place = context.engine.url.database if context.engine else None
        msg = f"cannot write {place}: its disk is full"
        raise MissingError(msg, hint=FULL_HINT) from context.original_exception


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
