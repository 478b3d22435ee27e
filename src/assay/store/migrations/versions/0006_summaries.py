"""Counts of trials beside their activity, and results in short."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COUNTS = {
    "trials": "SELECT count(*) FROM trial WHERE trial.activity = activity.id",
    "ended": "SELECT count(*) FROM trial WHERE trial.activity = activity.id AND trial.state = 'ended'",
    "failed": "SELECT count(*) FROM trial WHERE trial.activity = activity.id AND trial.state = 'failed'",
}


def upgrade() -> None:
    """Add the columns, counted, and the table."""
    with op.batch_alter_table("activity") as table:
        for name in COUNTS:
            table.add_column(sa.Column(name, sa.Integer, nullable=False, server_default="0"))
        table.create_index("ix_activity_created_ns", ["created_ns"])
    for name, count in COUNTS.items():
        op.execute(f"UPDATE activity SET {name} = ({count})")  # noqa: S608 - our own words
    op.create_table(
        "summary",
        sa.Column(
            "activity", sa.String(16), sa.ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("records", sa.Integer, nullable=False),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("started", sa.String(32), nullable=False),
        sa.Column("headline", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("page", sa.String(64)),
    )
