"""What an activity saw of machines is kept, so that no record is read for what changed of one."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; the first look at what changed fills them."""
    op.create_table(
        "seen",
        sa.Column("activity", sa.Text, sa.ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("records", sa.Integer, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
    )
    op.create_table(
        "boot",
        sa.Column("activity", sa.Text, sa.ForeignKey("seen.activity", ondelete="CASCADE"), primary_key=True),
        sa.Column("machine", sa.Text, primary_key=True),
        sa.Column("boot", sa.Text, primary_key=True),
        sa.Column("taken_ns", sa.BigInteger, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("guests", sa.Text, nullable=False),
    )
    op.create_index("ix_boot_machine", "boot", ["machine"])
