"""How machines were when they were watched."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "health",
        sa.Column("machine", sa.String(64), primary_key=True),
        sa.Column("at_ns", sa.BigInteger, primary_key=True),
        sa.Column("why", sa.Text),
        sa.Column("load", sa.Float),
        sa.Column("busy", sa.Float),
        sa.Column("steal", sa.Float),
        sa.Column("free_bytes", sa.BigInteger),
        sa.Column("temperature_c", sa.Float),
        sa.Column("throttles", sa.BigInteger),
    )
