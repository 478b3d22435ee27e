"""Machines that a batch system gives: what their jobs are asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no machine was of a batch system before."""
    op.add_column("machine", sa.Column("job", sa.Text, nullable=False, server_default="{}"))
