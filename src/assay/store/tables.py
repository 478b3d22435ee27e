"""The schema, one for all makes of database; ``migrations`` brings a file to it step by step.

Indexes of some of the rows alone are the migrations' only: declared here they load the dialect of PostgreSQL,
which takes longer than a list.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    func,
)


class Words(TypeDecorator[str]):
    """A text of any length. A NUL, which a program may print and PostgreSQL cannot keep, is marked."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        """Return the text as it is kept."""
        return value.replace("\0", "\ufffd") if value else value


metadata = MetaData()

machine = Table(
    "machine",
    metadata,
    Column("name", Words, primary_key=True),
    Column("reach", Words, nullable=False),
    Column("host", Words),
    Column("user", Words),
    Column("port", Integer),
    Column("host_key", Words),
    Column("identity", Words),
    Column("groups", Words, nullable=False, server_default="[]"),
    Column("tags", Words, nullable=False, server_default="{}"),
    Column("role", Words),
    Column("notes", Words, nullable=False, server_default=""),
    Column("guest_of", Words),
    Column("job", Words, nullable=False, server_default="{}"),
)

activity = Table(
    "activity",
    metadata,
    Column("id", Words, primary_key=True),
    Column("scene", Words, nullable=False),
    Column("title", Words, nullable=False),
    Column("folder", Words, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("ended_ns", BigInteger),
    Column("state", Words, nullable=False),
    Column("treatment", Words, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("origin", Words),
    Column("imported_ns", BigInteger),
    Column("fleet", Words),
    Column("machine", Words),
    Column("trials", Integer, nullable=False, server_default="0"),
    Column("ended", Integer, nullable=False, server_default="0"),
    Column("failed", Integer, nullable=False, server_default="0"),
    Column("controller", Words),
)
made_ns = func.coalesce(activity.c.imported_ns, activity.c.created_ns)
"""When an activity was made, or imported."""

summary = Table(
    "summary",
    metadata,
    Column("activity", Words, ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
    Column("records", Integer, nullable=False),
    Column("made_by", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("started", Words, nullable=False),
    Column("headline", Words, nullable=False),
    Column("page", Words),
)

summary_content = Table(
    "summary_content",
    metadata,
    Column("activity", Words, ForeignKey("summary.activity", ondelete="CASCADE"), primary_key=True),
    Column("content", Words, nullable=False),
)

summary_key = Table(
    "summary_key",
    metadata,
    Column("activity", Words, ForeignKey("summary.activity", ondelete="CASCADE"), primary_key=True),
    Column("field", Words, primary_key=True),
    Column("value", Words, primary_key=True),
    Index("ix_summary_key_value", "field", "value", "activity"),
)

seen = Table(
    "seen",
    metadata,
    Column("activity", Words, ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
    Column("records", Integer, nullable=False),
    Column("made_by", Words, nullable=False),
)

boot = Table(
    "boot",
    metadata,
    Column("activity", Words, ForeignKey("seen.activity", ondelete="CASCADE"), primary_key=True),
    Column("machine", Words, primary_key=True),
    Column("boot", Words, primary_key=True),
    Column("taken_ns", BigInteger, nullable=False),
    Column("facts", Words, nullable=False),
    Column("guests", Words, nullable=False),
    Index("ix_boot_machine", "machine"),
)

tag = Table(
    "tag",
    metadata,
    Column("activity", Words, ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", Words, primary_key=True),
    Index("ix_tag_tag", "tag", "activity"),
)

fleet = Table(
    "fleet",
    metadata,
    Column("id", Words, primary_key=True),
    Column("scene", Words, nullable=False),
    Column("title", Words, nullable=False),
    Column("folder", Words, nullable=False),
    Column("who", Words, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("ended_ns", BigInteger),
    Column("state", Words, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("lanes", Integer, nullable=False),
    Column("controller", Words),
)

fleet_summary = Table(
    "fleet_summary",
    metadata,
    Column("fleet", Words, ForeignKey("fleet.id", ondelete="CASCADE"), primary_key=True),
    Column("records", Integer, nullable=False),
    Column("made_by", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("scene", Words, nullable=False),
    Column("headline", Words, nullable=False),
)

controller = Table(
    "controller",
    metadata,
    Column("name", Words, primary_key=True),
    Column("host", Words, nullable=False),
    Column("home", Words, nullable=False),
    Column("since_ns", BigInteger, nullable=False),
)

health = Table(
    "health",
    metadata,
    Column("machine", Words, primary_key=True),
    Column("at_ns", BigInteger, primary_key=True),
    Column("why", Words),
    Column("load", Float),
    Column("busy", Float),
    Column("steal", Float),
    Column("free_bytes", BigInteger),
    Column("temperature_c", Float),
    Column("throttles", BigInteger),
)

trial = Table(
    "trial",
    metadata,
    Column("activity", Words, ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("block", Integer, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("arm", Words, nullable=False),
    Column("replicate", Integer, nullable=False),
    Column("workload", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("machine", Words),
    Column("cause", Words),
    Column("exit_code", Integer),
    Column("started_ns", BigInteger),
    Column("ended_ns", BigInteger),
)

measurement = Table(
    "measurement",
    metadata,
    Column("activity", Words, primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("metric", Words, primary_key=True),
    Column("unit", Words, nullable=False),
    Column("direction", Words, nullable=False),
    Column("value", Float),
    ForeignKeyConstraint(["activity", "index"], ["trial.activity", "trial.index"], ondelete="CASCADE"),
)

doubt = Table(
    "doubt",
    metadata,
    Column("activity", Words, primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("code", Words, primary_key=True),
    Column("sentence", Words, nullable=False),
    ForeignKeyConstraint(["activity", "index"], ["trial.activity", "trial.index"], ondelete="CASCADE"),
)
