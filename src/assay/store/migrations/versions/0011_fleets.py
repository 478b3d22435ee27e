"""Activities on several machines are kept in short, as results are."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; the first list fills it."""
    op.create_table(
        "fleet_summary",
        sa.Column("fleet", sa.Text, sa.ForeignKey("fleet.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("records", sa.Integer, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("scene", sa.Text, nullable=False),
        sa.Column("headline", sa.Text, nullable=False),
    )
