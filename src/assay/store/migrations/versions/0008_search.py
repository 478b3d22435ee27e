"""Results are searched: their figures apart from what lists show, and keys by what each is found by."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SHORT = "activity, records, made_by, state, started, headline, page"
AT_ONCE = 200
"""Results whose figures are in memory at one time."""


def upgrade() -> None:
    """Add the tables, filled from the results in short, and the indexes of the newest and of lanes."""
    op.rename_table("summary", "summary_before")  # SQLite drops no column before 3.35
    op.create_table(
        "summary",
        sa.Column("activity", sa.Text, sa.ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("records", sa.Integer, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("headline", sa.Text, nullable=False),
        sa.Column("page", sa.Text),
    )
    op.execute(f"INSERT INTO summary ({SHORT}) SELECT {SHORT} FROM summary_before")  # noqa: S608 - our own words
    content = op.create_table(
        "summary_content",
        sa.Column(
            "activity", sa.Text, sa.ForeignKey("summary.activity", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("content", sa.Text, nullable=False),
    )
    key = op.create_table(
        "summary_key",
        sa.Column(
            "activity", sa.Text, sa.ForeignKey("summary.activity", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("field", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
    )
    op.create_index("ix_summary_key_value", "summary_key", ["field", "value", "activity"])
    kept = sa.table("summary_before", sa.column("activity"), sa.column("content"))
    connection = op.get_bind()
    for some in _some(connection, sa.select(kept.c.activity).order_by(kept.c.activity)):
        rows = connection.execute(sa.select(kept).where(kept.c.activity.in_(some))).mappings().all()
        op.bulk_insert(content, [dict(row) for row in rows])
        op.bulk_insert(key, [one for row in rows for one in _keys(row["activity"], row["content"])])
    op.drop_table("summary_before")
    op.drop_index("ix_activity_created_ns", "activity")
    op.drop_index("ix_activity_fleet", "activity")
    made = sa.text("coalesce(imported_ns, created_ns) DESC")
    _index_where("ix_activity_fleet", ["fleet"], "fleet IS NOT NULL")
    _index_where("ix_activity_made", [made, "id"], "fleet IS NULL")


def _index_where(name: str, columns: list[Any], where: str) -> None:
    only = sa.text(where)
    op.create_index(name, "activity", columns, sqlite_where=only, postgresql_where=only)


def _some(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[list[str]]:
    ids = connection.execute(query).scalars().all()
    return ([*ids[start : start + AT_ONCE]] for start in range(0, len(ids), AT_ONCE))


def _keys(activity: str, content: str) -> Iterator[dict[str, str]]:
    """Yield the verdicts of a result, and its machines by host name and with their processor."""
    held = json.loads(content)
    found = {("verdict", one["verdict"]) for one in held["estimates"]}
    for machine in held.get("machines", ()):
        found |= {("machine", machine), ("machine", machine.partition(" (")[0])}
    return ({"activity": activity, "field": field, "value": value} for field, value in sorted(found))
