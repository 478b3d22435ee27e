"""Several controllers in one database: which of them has what. Texts of any length on a server."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BOUNDED = {
    "machine": ("name", "reach", "host", "user", "role", "guest_of"),
    "activity": ("id", "scene", "state", "treatment", "fleet", "machine"),
    "summary": ("activity", "made_by", "state", "started", "page"),
    "fleet": ("id", "scene", "state"),
    "health": ("machine",),
    "trial": ("activity", "arm", "workload", "state", "machine"),
    "measurement": ("activity", "metric", "unit", "direction"),
    "doubt": ("activity", "code"),
}


def upgrade() -> None:
    """Add the table and the columns; SQLite holds a text to no length."""
    op.create_table(
        "controller",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("home", sa.Text, nullable=False),
        sa.Column("since_ns", sa.BigInteger, nullable=False),
    )
    for table in ("activity", "fleet"):
        op.add_column(table, sa.Column("controller", sa.Text))
    if op.get_bind().dialect.name != "sqlite":
        for table, columns in BOUNDED.items():
            for column in columns:
                op.alter_column(table, column, type_=sa.Text)
