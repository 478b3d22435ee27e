"""Machines, activities, trials, measurements and doubts.

Written out rather than taken from ``tables``: a migration stays what it was when the schema moves on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the first schema."""
    op.create_table(
        "machine",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("reach", sa.String(8), nullable=False),
        sa.Column("host", sa.String(255)),
        sa.Column("user", sa.String(64)),
        sa.Column("port", sa.Integer),
        sa.Column("host_key", sa.Text),
        sa.Column("identity", sa.Text),
    )
    op.create_table(
        "activity",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("scene", sa.String(64), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("ended_ns", sa.BigInteger),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("treatment", sa.String(64), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "trial",
        sa.Column(
            "activity", sa.String(16), sa.ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("index", sa.Integer, primary_key=True),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("arm", sa.String(16), nullable=False),
        sa.Column("replicate", sa.Integer, nullable=False),
        sa.Column("workload", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("machine", sa.String(64)),
        sa.Column("cause", sa.Text),
        sa.Column("exit_code", sa.Integer),
        sa.Column("started_ns", sa.BigInteger),
        sa.Column("ended_ns", sa.BigInteger),
    )
    for table, columns in (
        (
            "measurement",
            (
                sa.Column("metric", sa.String(64), primary_key=True),
                sa.Column("unit", sa.String(32), nullable=False),
                sa.Column("direction", sa.String(8), nullable=False),
                sa.Column("value", sa.Float),
            ),
        ),
        (
            "doubt",
            (
                sa.Column("code", sa.String(64), primary_key=True),
                sa.Column("sentence", sa.Text, nullable=False),
            ),
        ),
    ):
        op.create_table(
            table,
            sa.Column("activity", sa.String(16), primary_key=True),
            sa.Column("index", sa.Integer, primary_key=True),
            *columns,
            sa.ForeignKeyConstraint(
                ["activity", "index"], ["trial.activity", "trial.index"], ondelete="CASCADE"
            ),
        )
