"""Machines that are guests of others of the inventory."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    with op.batch_alter_table("machine") as table:
        table.add_column(sa.Column("guest_of", sa.String(64)))
