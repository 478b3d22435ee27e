"""What a site says of its machines: groups, tags, a role, notes; and activities on several machines."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    with op.batch_alter_table("machine") as table:
        table.add_column(sa.Column("groups", sa.Text, nullable=False, server_default="[]"))
        table.add_column(sa.Column("tags", sa.Text, nullable=False, server_default="{}"))
        table.add_column(sa.Column("role", sa.String(16)))
        table.add_column(sa.Column("notes", sa.Text, nullable=False, server_default=""))
    with op.batch_alter_table("activity") as table:
        table.add_column(sa.Column("fleet", sa.String(16)))
        table.add_column(sa.Column("machine", sa.String(64)))
        table.create_index("ix_activity_fleet", ["fleet"])
    op.create_table(
        "fleet",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("scene", sa.String(64), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("ended_ns", sa.BigInteger),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("lanes", sa.Integer, nullable=False),
    )
