"""What is soon read of a home's own file, without SQLAlchemy, whose import takes longer than that.

Each function gives ``None`` where it cannot tell: the rows are on a server, of another schema or damaged,
or somebody holds the file. The store then reads them, and says what is wrong.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.model.errors import AssayError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.store.chosen import FILE as CHOSEN
from assay.store.inventory import entries_of
from assay.store.revision import FILE, SCHEMA_REVISION

if TYPE_CHECKING:
    from assay.store.rows import ActivityRow

NEWEST = """
SELECT health.* FROM health
JOIN (SELECT machine, max(at_ns) AS at_ns FROM health GROUP BY machine) AS newest USING (machine, at_ns)
ORDER BY machine
"""
SEEN = """
SELECT machine, (
 SELECT at_ns FROM health WHERE health.machine = known.machine AND why IS NULL ORDER BY at_ns DESC LIMIT 1
) AS at_ns FROM (SELECT DISTINCT machine FROM health) AS known
"""
NAMED = "SELECT * FROM activity WHERE substr(id, 1, length(:name)) = :name AND controller IS NULL"
LAST = """
SELECT * FROM activity WHERE fleet IS NULL AND controller IS NULL
ORDER BY coalesce(imported_ns, created_ns) DESC, id LIMIT 1
"""
DIGEST = """
SELECT page FROM summary JOIN activity ON activity.id = summary.activity
WHERE activity.id = :activity AND made_by = :made_by AND records = ended + failed
"""
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Named:
    """Activities by the names that were asked for; it answers as a store does."""

    home: Path
    rows: Mapping[str, ActivityRow]

    def activity(self, name: str) -> ActivityRow:
        """Return the activity of one of these names."""
        return self.rows[name]

    def page_digest(self, activity: str, made_by: str) -> str | None:
        """Return the digest of a result's page as it was written with its summary, if that is still right."""
        rows = _select(self.home, DIGEST, activity=activity, made_by=made_by)
        return rows[0]["page"] if rows else None


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


def last_seen(home: Path) -> dict[str, int] | None:
    """Return when each machine was last reached, ns since 1970, by name; without those that never were."""
    rows = _select(home, SEEN)
    return (
        None if rows is None else {row["machine"]: row["at_ns"] for row in rows if row["at_ns"] is not None}
    )


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


def named(home: Path, names: Sequence[str]) -> Named | None:
    """Return the activities of whole ids, unique beginnings of ids or ``last``; those that another controller
    of the database has are the store's to tell.
    """
    rows = {name: row for name in names if (row := _named(home, name)) is not None}
    return Named(home, rows) if rows.keys() == set(names) else None


def _named(home: Path, name: str) -> ActivityRow | None:
    from assay.store.rows import activity_row  # the words of activities; other lists need them not

    if not name:  # the beginning of all ids, and none's
        return None
    found = _select(home, LAST) if name == "last" else _select(home, NAMED, name=name)
    whole = [row for row in found or () if row["id"] == name]
    if not found or len(whole or found) > 1:
        return None
    try:
        row = activity_row((whole or found)[0], str(home / FILE), None)
        return None if name == "last" and _is_run(row) else row
    except AssayError:
        return None


def _is_run(row: ActivityRow) -> bool:
    """Tell whether an activity is the run of a proof, which is not the last that is asked for."""
    from assay.store.record import read_activity

    return read_activity(row.folder).proof_of is not None


def _select(home: Path, query: str, **values: str) -> Rows | None:
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
            return [dict(row) for row in connection.execute(query, values)]
    except (sqlite3.Error, TypeError, ValueError):
        return None
