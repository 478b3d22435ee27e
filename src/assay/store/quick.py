"""Short lists of a home's own file, read without SQLAlchemy, whose import takes longer than they do.

Each function gives ``None`` where it cannot tell: the rows are on a server, of another schema or damaged,
or somebody holds the file. The store then reads them, and says what is wrong.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from assay.model.errors import AssayError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.store.chosen import FILE as CHOSEN
from assay.store.inventory import entries_of
from assay.store.revision import FILE, SCHEMA_REVISION

NEWEST = """
SELECT health.* FROM health
JOIN (SELECT machine, max(at_ns) AS at_ns FROM health GROUP BY machine) AS newest USING (machine, at_ns)
ORDER BY machine
"""
Rows = list[dict[str, Any]]


def entries(home: Path) -> tuple[Entry, ...] | None:
    """Return the inventory by name, this machine first."""
    rows = _select(home, "SELECT * FROM machine")
    try:
        return None if rows is None else entries_of(rows, str(home / FILE))
    except AssayError:
        return None


def newest_health(home: Path) -> tuple[Health, ...] | None:
    """Return how machines are by the last look at each, by name."""
    rows = _select(home, NEWEST)
    return None if rows is None else tuple(Health(**row) for row in rows)


def is_empty(home: Path) -> bool:
    """Tell whether a home has no activity yet; one that cannot be told so quickly has some."""
    query = "SELECT scene FROM activity UNION ALL SELECT scene FROM fleet LIMIT 1"
    return _select(home, query) == []


def ids(home: Path) -> Sequence[str] | None:
    """Return the ids of all activities, on one machine and on several."""
    rows = _select(
        home, "SELECT id, scene, folder FROM activity UNION ALL SELECT id, scene, folder FROM fleet"
    )
    return None if rows is None else [str(row["id"]) for row in rows]


def _select(home: Path, query: str) -> Rows | None:
    """Return the rows that a query gives; none in a home that has no database yet."""
    if (home / CHOSEN).exists():
        return None
    file = home / FILE
    if not file.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            connection.row_factory = sqlite3.Row
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            if revision != SCHEMA_REVISION:
                return None
            return [dict(row) for row in connection.execute(query)]
    except (sqlite3.Error, TypeError, ValueError):
        return None
