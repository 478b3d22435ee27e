"""A database on a server that an earlier assay filled is brought to the schema of now, with all its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.model.figures.estimate import Verdict
from assay.model.machines.machine import Reach
from assay.store import tables as t
from assay.store.chosen import Chosen, choose
from assay.store.database import __file__ as room
from assay.store.postgres import open_server
from assay.store.revision import SCHEMA_REVISION
from assay.store.search import Filter
from assay.store.store import Store
from tests.postgres import Server

FIRST_ON_SERVERS = "0007"
CONTENT = {"estimates": [{"verdict": "loss", "loss": 0.125}], "machines": ["node01 (A CPU)"]}
ROWS: dict[str, dict[str, Any]] = {
    "controller": {"name": "ctl01", "host": "ctl01", "home": "/srv/assay", "since_ns": 1},
    "machine": {"name": "node01", "reach": "ssh", "host": "192.0.2.1"},
    "health": {"machine": "node01", "at_ns": 7, "busy": 0.5},
    "fleet": {
        "id": "f1ee7000", "scene": "spin", "title": "Spin", "folder": "/f", "who": "n[1-3]", "created_ns": 1,
        "state": "complete", "seed": 1, "lanes": 3, "controller": "ctl01",
    },
    "activity": {
        "id": "0123abcd", "scene": "quick", "title": "A title", "folder": "/a", "created_ns": 1,
        "state": "complete", "treatment": "guest", "seed": 5, "trials": 1, "ended": 1, "controller": "ctl01",
    },
    "trial": {
        "activity": "0123abcd", "index": 0, "block": 0, "slot": 0, "arm": "baseline", "replicate": 0,
        "workload": "spin", "state": "ended", "started_ns": 1, "ended_ns": 2,
    },
    "measurement": {
        "activity": "0123abcd", "index": 0, "metric": "rate", "unit": "1/s", "direction": "higher",
        "value": 2.5,
    },
    "doubt": {"activity": "0123abcd", "index": 0, "code": "steal", "sentence": "it was stolen from"},
    "summary": {
        "activity": "0123abcd", "records": 1, "made_by": "then", "state": "complete", "started": "then",
        "headline": "12 % lost", "content": json.dumps(CONTENT),
    },
}  # fmt: skip
"""A row of each table, as they were at the first schema on servers."""


def filled(server: Server, name: str) -> Chosen:
    """Return a database as it was at that schema, with a view over a table that changes."""
    from alembic import command
    from alembic.config import Config

    other = Chosen(server.database(name), "ctl01")
    engine, config = open_server(other), Config()
    config.set_main_option("script_location", str(Path(room).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, FIRST_ON_SERVERS)
        then = sa.MetaData()
        then.reflect(connection)
        for table, values in ROWS.items():
            connection.execute(sa.insert(then.tables[table]).values(**values))
        connection.exec_driver_sql("CREATE VIEW machines AS SELECT name AS machine, reach FROM machine")
        connection.exec_driver_sql("CREATE VIEW results AS SELECT activity, headline FROM summary")
    engine.dispose()
    return other


def test_rows_of_the_first_schema_on_servers_are_those_of_now(postgresql: Server, tmp_path: Path) -> None:
    other = filled(postgresql, "earlier schema")
    choose(tmp_path, other)
    store = Store(tmp_path)
    try:
        (activity,), (fleet,) = store.activities(), store.fleets()
        assert (activity.id, activity.trials, activity.ended, activity.controller) == ("0123abcd", 1, 1, None)
        assert (fleet.id, fleet.lanes, fleet.controller) == ("f1ee7000", 3, None)
        assert [(one.name, one.reach) for one in store.machines()][1:] == [("node01", Reach.SSH)]
        assert [look.busy for look in store.health("node01")] == [0.5]
        assert store.summaries("then")["0123abcd"].headline == "12 % lost"
        assert json.loads(store.contents(["0123abcd"])["0123abcd"]) == CONTENT
        for wanted in (Filter(verdict=Verdict.LOSS), Filter(machine="node01"), Filter(hardware="a cpu")):
            assert [row.id for row in store.search(wanted).rows] == ["0123abcd"]
        assert (store.tags(), store.fleet_summaries("then")) == ({}, {})
        with store._engine.connect() as connection:
            for table in (t.controller, t.trial, t.measurement, t.doubt):
                (row,) = connection.execute(sa.select(table)).mappings()
                assert dict(row).items() >= ROWS[table.name].items()
            told = connection.execute(sa.text("SELECT headline, measured FROM results")).one()
            assert tuple(told) == ("12 % lost", 1)
            revision = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
            assert revision == SCHEMA_REVISION
            expected = {table.name: set(table.c.keys()) for table in t.metadata.sorted_tables}
            there = sa.inspect(connection)
            assert {name: {c["name"] for c in there.get_columns(name)} for name in expected} == expected
    finally:
        store.close()
