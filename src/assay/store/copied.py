"""A copy of a home's database, for a process that may read records and not open the database itself.

Whoever may open a file of SQLite may lock it, also for reading, and stop its writers (decision 21): so the
process that may write it gives copies away.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import sqlalchemy as sa

from assay.model.errors import MissingError
from assay.store.chosen import chosen
from assay.store.revision import FILE
from assay.store.rows import ActivityRow, KeptFleetSummary, KeptSummary
from assay.store.seen import SeenBoot
from assay.store.store import Store

FRESH_S = 1.0
"""A copy is taken for the newest for as long."""
Fetch = Callable[[int | None], tuple[int, bytes | None]]
"""Returns the newest version of the database, and its content unless that is the version known."""


class Copier:
    """Makes copies of the file of a home's database.

    Args:
        home: The home.

    Raises:
        MissingError: Its rows are on a server.
    """

    def __init__(self, home: Path) -> None:
        if chosen(home) is not None:
            msg = "cannot copy the database: its rows are on a server, which this does not reach"
            raise MissingError(msg, hint="assay store move file")
        self._connection = sqlite3.connect(
            f"{(home / FILE).as_uri()}?mode=ro", uri=True, check_same_thread=False, timeout=30
        )
        self._lock = threading.Lock()

    def version(self) -> int:
        """Return what is another number after each change."""
        with self._lock:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def copy(self) -> tuple[int, bytes]:
        """Return the newest version and its content."""
        with self._lock:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            return int(version), self._connection.serialize()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


class CopiedStore(Store):
    """The store of a home by copies of its database: it is read, and nothing is kept.

    Args:
        home: The home.
        fetch: Gives copies.
        folder: Where they lie; only this process writes there.
    """

    def __init__(self, home: Path, fetch: Fetch, folder: Path) -> None:
        self.home, self.database, self.controller = home, str(home / FILE), None
        self._fetch, self._lock = fetch, threading.Lock()
        self._folder = folder
        self._version: int | None = None
        self._at = float("-inf")
        self._engine = sa.create_engine("sqlite://", creator=self._connect, poolclass=sa.NullPool)

    def keep_summary(self, kept: KeptSummary) -> None:
        """Keep nothing: whoever gives the copies has kept it."""

    def keep_fleet_summary(self, kept: KeptFleetSummary) -> None:
        """Keep nothing, likewise."""

    def keep_seen(self, row: ActivityRow, boots: Iterable[SeenBoot]) -> None:
        """Keep nothing: whoever gives the copies keeps it soon."""

    def _connect(self) -> sqlite3.Connection:
        with self._lock:
            if time.monotonic() - self._at > FRESH_S:
                self._refresh()
            place = f"{self._file(self._version).as_uri()}?mode=ro&immutable=1"
            return sqlite3.connect(place, uri=True, check_same_thread=False)

    def _refresh(self) -> None:
        version, content = self._fetch(self._version)
        if content is not None:
            self._file(version).write_bytes(content)
            if self._version is not None and self._version != version:
                self._file(self._version).unlink(missing_ok=True)  # who reads it goes on with it
            self._version = version
        self._at = time.monotonic()

    def _file(self, version: int | None) -> Path:
        return self._folder / f"{version}.db"
