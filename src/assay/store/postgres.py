"""The database on a server of PostgreSQL, which several controllers may share."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from assay.model.errors import AssayError, MissingError
from assay.store.chosen import Chosen, parsed, shown
from assay.store.faults import AwayDatabaseError, DamagedDatabaseError

CONNECT_S, LOCK_S, SILENT_MS = 10, 30, 20_000
"""A server that is there answers in milliseconds; a transaction of ours takes as little."""
MIGRATION_LOCK = 0x61737361795F6462
"""Number of the lock that is held by who makes or migrates the tables: ``assay_db``."""
FOREIGN = ("42P01", "42703", "42P07", "42701", "42804", "22P02")
"""States of SQL of a database with other tables than ours (PostgreSQL's manual, appendix A)."""
GONE = ("08", "57P")
"""How states begin of a connection that is lost, or a server that goes down."""
FULL, DENIED, LOCKED = ("53100",), ("42501", "28000", "28P01", "3D000", "25006"), ("55P03", "40P01")
REFUSED = (
    "authentication failed",
    "does not exist",
    "pg_hba.conf",
    "no password supplied",
    "permission denied",
)
UNPROVEN = ("certificate", "SSL", "root.crt")
"""How a server says that it lets us not in, or cannot be trusted: without a connection there is no state."""
_PROBLEMS: tuple[tuple[Callable[[str, str], bool], str, str | None], ...] = (
    (lambda state, _: state in FULL, "cannot write {place}: the disk of the server is full", None),
    (
        lambda state, _: state in LOCKED,
        "cannot write {place}: another holds a lock for more than " + f"{LOCK_S} s",
        "look who holds it: SELECT * FROM pg_stat_activity",
    ),
    (
        lambda state, reason: state in DENIED or (not state and any(word in reason for word in REFUSED)),
        "cannot use the database {place}: {reason}",
        "it has to be there, and its owner the user in the address; passwords stand in ~/.pgpass",
    ),
    (
        lambda state, _: state == "2BP01",
        "cannot bring the database {place} to this assay's version: a view of others is made of its views",
        "drop that view, and make it again afterwards: \\d+ in psql shows its text",
    ),
    (
        lambda state, reason: not state and any(word in reason for word in UNPROVEN),
        "cannot use the database {place}: {reason}",
        "name its authority, ?sslrootcert=/path/ca.pem, or go without a proof: ?sslmode=require",
    ),
)
"""What is asked of a state of SQL and a reason, what it means, and what helps."""


def open_server(other: Chosen) -> sa.Engine:
    """Return an engine of a database on a server; it is first asked when it is used.

    Raises:
        MissingError: psycopg is not installed.
        AssayError: The address cannot be used.
    """
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        msg = "cannot use a database on PostgreSQL: psycopg is not installed"
        raise MissingError(msg, hint="pip install 'assay[postgres]'") from error
    engine = sa.create_engine(
        parsed(other.url),
        pool_pre_ping=True,
        pool_size=2,
        max_overflow=6,
        pool_timeout=120,
        connect_args={
            "connect_timeout": CONNECT_S,
            "tcp_user_timeout": SILENT_MS,
            "keepalives_idle": CONNECT_S,
            "application_name": f"assay {other.controller}"[:63],
            "options": f"-c lock_timeout={LOCK_S}s -c timezone=UTC",
        },
    )
    place = shown(other.url)
    sa.event.listen(engine, "handle_error", lambda context: _explain(context, place))
    return engine


def lock_migration(connection: sa.Connection) -> None:
    """Wait until no other process makes or migrates the tables; others wait while the transaction lasts."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))


def _explain(context: sa.engine.ExceptionContext, place: str) -> None:
    """Turn PostgreSQL's words into an error for people, wherever it comes up."""
    import psycopg

    original = context.original_exception
    if isinstance(original, psycopg.Error) and (error := _error(original, place, context.is_disconnect)):
        raise error from original


def _error(original: Exception, place: str, lost: bool) -> AssayError | None:
    state = getattr(original, "sqlstate", None) or ""
    reason = str(original).strip().splitlines()[-1] if str(original).strip() else type(original).__name__
    if state in FOREIGN:
        return DamagedDatabaseError(place, reason)
    for is_it, problem, hint in _PROBLEMS:
        if is_it(state, reason):
            return MissingError(problem.format(place=place, reason=reason), hint=hint)
    if lost or not state or state.startswith(GONE):
        return _away(place, reason)
    return None


def _away(place: str, reason: str) -> AwayDatabaseError:
    hint = "see that the server runs and can be reached: pg_isready; records on disk are whole"
    return AwayDatabaseError(f"cannot reach the database {place}: {reason}", hint=hint)
