"""Open the database of a home, at the newest schema: its own file, or one on a server."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from assay.store.chosen import Chosen, chosen, shown
from assay.store.faults import NewerDatabaseError
from assay.store.postgres import lock_migration, open_server
from assay.store.revision import FILE, SCHEMA_REVISION
from assay.store.sqlite import open_file, opened_alone
from assay.store.views import drop_views, make_views


def has_database(home: Path) -> bool:
    """Tell whether a home has a database already, a file or one on a server."""
    return (home / FILE).exists() or chosen(home) is not None


def place_of(home: Path) -> str:
    """Return what the database of a home is called in messages."""
    other = chosen(home)
    return str(home / FILE) if other is None else shown(other.url)


def open_database(home: Path) -> sa.Engine:
    """Open the database that a home has, made or migrated to the newest schema as needed.

    One process at a time makes or migrates it; others wait until it has.

    Raises:
        MissingError: The home cannot be made or written, or the server does not let us in.
        AwayDatabaseError: The server does not answer.
        DamagedDatabaseError: It is no database, or not one of assay's.
        NewerDatabaseError: A newer assay has migrated it.
    """
    other = chosen(home)
    return open_own(home) if other is None else open_chosen(other)


def open_own(home: Path) -> sa.Engine:
    """Open the file in a home, whatever its database is; as ``open_database``."""
    engine = open_file(home)
    with opened_alone(home):
        _bring_up(engine, str(home / FILE))
    return engine


def open_chosen(other: Chosen) -> sa.Engine:
    """Open a database on a server; as ``open_database``."""
    engine = open_server(other)
    _bring_up(engine, shown(other.url))
    return engine


def _bring_up(engine: sa.Engine, place: str) -> None:
    """Migrate to the newest schema, if it is not there."""
    try:
        with engine.connect() as connection:
            revision = _revision(connection)
        if revision != SCHEMA_REVISION:
            _migrate(engine, place)
    except BaseException:
        engine.dispose()
        raise


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return None if version is None else str(version)


def _migrate(engine: sa.Engine, place: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # Python begins no transaction for tables, and a crash left half of them
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            lock_migration(connection)
        config.attributes["connection"] = connection
        try:
            grants = drop_views(connection)
            command.upgrade(config, "head")
            make_views(connection, grants)
        except CommandError as error:
            msg = f"cannot open {place}: its schema is not known to this assay ({error})"
            raise NewerDatabaseError(msg, hint="use the assay that wrote it, or a newer one") from error
