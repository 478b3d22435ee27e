"""Where an activity was imported from, and when.

Rows before say neither. Activities of this home lie in ``activities/ID`` beside the database; every other row
was imported.
"""

import re
import time
from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the two columns, mark what was imported, and forget rows whose id is none."""
    with op.batch_alter_table("activity") as table:
        table.add_column(sa.Column("origin", sa.Text))
        table.add_column(sa.Column("imported_ns", sa.BigInteger))
    connection = op.get_bind()
    home = Path(str(connection.engine.url.database)).parent
    for activity, folder, created_ns in connection.execute(
        sa.text("SELECT id, folder, created_ns FROM activity")
    ).all():
        if re.fullmatch("[0-9a-f]{8}", activity) is None:
            connection.execute(sa.text("DELETE FROM activity WHERE id = :id"), {"id": activity})
        elif Path(folder).resolve() != (home / "activities" / activity).resolve():
            connection.execute(
                sa.text("UPDATE activity SET origin = :origin, imported_ns = :at WHERE id = :id"),
                # when it was imported is not known; a plan may say that it is from the future
                {"id": activity, "origin": folder, "at": min(created_ns, time.time_ns())},
            )
