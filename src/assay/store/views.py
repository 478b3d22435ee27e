"""Views of the tables for SQL and dashboards: plain names, times as times, one row a thing.

They are made anew with each schema. What each column is stands in ``docs/store.md``, held to it by a test.
"""

from __future__ import annotations

import sqlalchemy as sa

NAMES = (
    *("machines", "looks", "controllers", "results", "result_tags", "fleets", "trials", "measurements"),
    *("trial_doubts", "losses", "found_by", "boots"),
)
"""Each view, in the order in which they are made."""

_MACHINE = """
  name AS machine, reach, host, "user", port, role, groups, tags, notes, guest_of, job
FROM machine
"""
_RESULT = """
  a.id AS result, a.scene, a.title, a.treatment, coalesce(a.machine, '') AS lane, a.fleet, a.state,
  {created} AS created, {ended} AS ended, a.trials AS planned, a.ended AS measured, a.failed, a.controller,
  a.folder, a.origin AS imported_from, s.headline
FROM activity a LEFT JOIN summary s ON s.activity = a.id
"""
_TRIAL = """
  t.activity AS result, a.scene, t."index" AS trial, t.block, t.slot, t.arm, t.replicate, t.workload,
  t.machine, t.state, t.cause, t.exit_code, {started} AS started, {ended} AS ended,
  (t.ended_ns - t.started_ns) / 1e9 AS seconds
FROM trial t JOIN activity a ON a.id = t.activity
"""
_MEASUREMENT = """
  m.activity AS result, a.scene, m."index" AS trial, t.block, t.arm, t.workload, t.machine,
  {started} AS started, m.metric, m.unit, m.direction, m.value
FROM measurement m
JOIN trial t ON t.activity = m.activity AND t."index" = m."index"
JOIN activity a ON a.id = m.activity
"""
_LOOK = """
  machine, {at} AS "at", why, load, busy, steal, free_bytes, temperature_c, throttles
FROM health
"""
_CONTROLLER = """
  name AS controller, host, home, {since} AS since
FROM controller
"""
_FLEET = """
  f.id AS fleet, coalesce(s.scene, f.scene) AS scene, f.title, f.who, f.lanes AS machines, f.state,
  {created} AS created, {ended} AS ended, f.controller, f.folder, s.headline
FROM fleet f LEFT JOIN fleet_summary s ON s.fleet = f.id
"""
_LOSS_FIELDS = (
    ("workload", "text"),
    ("metric", "text"),
    ("unit", "text"),
    ("direction", "text"),
    ("treatment", "text"),
    ("against", "text"),
    ("baseline_value", "float"),
    ("treatment_value", "float"),
    ("loss", "float"),
    ("low", "float"),
    ("high", "float"),
    ("blocks", "integer"),
    ("verdict", "text"),
    ("matters", "text"),
)


def make_views(connection: sa.Connection) -> None:
    """Make all views."""
    for name, query in _queries(connection.dialect.name).items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS SELECT {query}")


def drop_views(connection: sa.Connection) -> None:
    """Remove the views: tables that they name cannot be changed below them."""
    there = set(sa.inspect(connection).get_view_names())
    for name in reversed(NAMES):
        if name in there:
            connection.exec_driver_sql(f"DROP VIEW {name}")


def _queries(dialect: str) -> dict[str, str]:
    def time(column: str) -> str:
        if dialect == "sqlite":
            return f"strftime('%Y-%m-%dT%H:%M:%fZ', {column} / 1e9, 'unixepoch')"
        return f"to_timestamp({column} / 1e9)"

    made = "coalesce(a.imported_ns, a.created_ns)"
    return {
        "machines": _MACHINE,
        "looks": _LOOK.format(at=time("at_ns")),
        "controllers": _CONTROLLER.format(since=time("since_ns")),
        "fleets": _FLEET.format(created=time("f.created_ns"), ended=time("f.ended_ns")),
        "found_by": "activity AS result, field, value FROM summary_key",
        "results": _RESULT.format(created=time(made), ended=time("a.ended_ns")),
        "result_tags": "activity AS result, tag FROM tag",
        "trials": _TRIAL.format(started=time("t.started_ns"), ended=time("t.ended_ns")),
        "measurements": _MEASUREMENT.format(started=time("t.started_ns")),
        "trial_doubts": 'activity AS result, "index" AS trial, code, sentence FROM doubt',
        "losses": _losses(dialect, time("a.created_ns")),
        "boots": f'activity AS result, machine, boot, {time("taken_ns")} AS "at", facts, guests FROM boot',
    }


def _losses(dialect: str, created: str) -> str:
    """Return the query of one row a metric of each result, from the results in short."""
    if dialect == "sqlite":
        columns = (f"json_extract(e.value, '$.{name}') AS {_named(name)}" for name, _ in _LOSS_FIELDS)
        rows = "json_each(s.content, '$.estimates') e"
    else:
        columns = (f"(e.value ->> '{name}')::{kind} AS {_named(name)}" for name, kind in _LOSS_FIELDS)
        rows = "LATERAL json_array_elements(s.content::json -> 'estimates') e(value)"
    machines = "a.machine AS lane, a.controller"
    return (
        f"s.activity AS result, a.scene, {created} AS created, {machines}, {', '.join(columns)} "
        f"FROM summary_content s JOIN activity a ON a.id = s.activity CROSS JOIN {rows}"
    )


def _named(name: str) -> str:
    return f'"{name}"'
