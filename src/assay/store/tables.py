"""The schema, one for all makes of database; ``migrations`` brings a file to it step by step."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_REVISION = "0006"
"""The newest revision under ``migrations/versions``; a test holds the two together."""

metadata = MetaData()

machine = Table(
    "machine",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("reach", String(8), nullable=False),
    Column("host", String(255)),
    Column("user", String(64)),
    Column("port", Integer),
    Column("host_key", Text),
    Column("identity", Text),
    Column("groups", Text, nullable=False, server_default="[]"),
    Column("tags", Text, nullable=False, server_default="{}"),
    Column("role", String(16)),
    Column("notes", Text, nullable=False, server_default=""),
    Column("guest_of", String(64)),
)

activity = Table(
    "activity",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("scene", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("created_ns", BigInteger, nullable=False, index=True),
    Column("ended_ns", BigInteger),
    Column("state", String(16), nullable=False),
    Column("treatment", String(64), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("origin", Text),
    Column("imported_ns", BigInteger),
    Column("fleet", String(16), index=True),
    Column("machine", String(64)),
    Column("trials", Integer, nullable=False, server_default="0"),
    Column("ended", Integer, nullable=False, server_default="0"),
    Column("failed", Integer, nullable=False, server_default="0"),
)

summary = Table(
    "summary",
    metadata,
    Column("activity", String(16), ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
    Column("records", Integer, nullable=False),
    Column("made_by", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("started", String(32), nullable=False),
    Column("headline", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("page", String(64)),
)

fleet = Table(
    "fleet",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("scene", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("ended_ns", BigInteger),
    Column("state", String(16), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("lanes", Integer, nullable=False),
)

health = Table(
    "health",
    metadata,
    Column("machine", String(64), primary_key=True),
    Column("at_ns", BigInteger, primary_key=True),
    Column("why", Text),
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
    Column("activity", String(16), ForeignKey("activity.id", ondelete="CASCADE"), primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("block", Integer, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("arm", String(16), nullable=False),
    Column("replicate", Integer, nullable=False),
    Column("workload", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("machine", String(64)),
    Column("cause", Text),
    Column("exit_code", Integer),
    Column("started_ns", BigInteger),
    Column("ended_ns", BigInteger),
)

measurement = Table(
    "measurement",
    metadata,
    Column("activity", String(16), primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("metric", String(64), primary_key=True),
    Column("unit", String(32), nullable=False),
    Column("direction", String(8), nullable=False),
    Column("value", Float),
    ForeignKeyConstraint(["activity", "index"], ["trial.activity", "trial.index"], ondelete="CASCADE"),
)

doubt = Table(
    "doubt",
    metadata,
    Column("activity", String(16), primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("code", String(64), primary_key=True),
    Column("sentence", Text, nullable=False),
    ForeignKeyConstraint(["activity", "index"], ["trial.activity", "trial.index"], ondelete="CASCADE"),
)
