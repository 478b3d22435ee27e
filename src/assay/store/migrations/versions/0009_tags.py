"""Results have tags."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nothing had a tag before."""
    op.create_table(
        "tag",
        sa.Column("activity", sa.Text, sa.ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
    )
    op.create_index("ix_tag_tag", "tag", ["tag", "activity"])
