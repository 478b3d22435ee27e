"""Views of the tables for SQL and dashboards: plain names, times as times, one row a thing.

They are made anew with each schema. What each column is stands in ``docs/store.md``, held to it by a test.
"""

from __future__ import annotations

import sqlalchemy as sa

NAMES = (
    *("machines", "looks", "controllers", "results", "result_tags", "fleets", "trials", "measurements"),
    *("trial_doubts", "losses", "result_doubts", "found_by", "boots"),
)
"""Each view, in the order in which they are made."""

_MACHINE = """
  name AS machine, reach, host, "user", port, role, groups, tags, notes, guest_of, job
FROM machine
"""
_RESULT = """
  a.id AS result, a.scene, a.title, a.treatment, coalesce(a.machine, '') AS lane, a.fleet, a.state,
  {created} AS created, {ended} AS ended, a.trials AS planned, a.ended AS measured, a.failed, a.controller,
  a.folder, a.origin AS imported_from, s.headline, {short}
FROM activity a LEFT JOIN summary s ON s.activity = a.id LEFT JOIN summary_content c ON c.activity = a.id
"""
_SHORT_FIELDS = (("badge", "text"), ("seconds", "float"), ("probe_cpu_s", "float"), ("facts", "text"))
"""What a result in short tells of the whole."""
_DOUBT_FIELDS = (("code", "text"), ("severity", "text"), ("count", "integer"), ("sentence", "text"))
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


Grants = tuple[tuple[str, str], ...]
"""Views, and the users who may read them."""


def make_views(connection: sa.Connection, grants: Grants = ()) -> None:
    """Make all views.

    Args:
        connection: In a transaction.
        grants: Who may read them, as ``drop_views`` told.
    """
    for name, query in _queries(connection.dialect.name).items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS SELECT {query}")
    quoted = connection.dialect.identifier_preparer.quote_identifier
    for name, user in grants:
        if name in NAMES:
            who = "PUBLIC" if user == "PUBLIC" else quoted(user)
            connection.exec_driver_sql(f"GRANT SELECT ON {name} TO {who}")


def drop_views(connection: sa.Connection) -> Grants:
    """Remove the views: tables that they name cannot be changed below them. Return who else might read
    them.
    """
    there = set(sa.inspect(connection).get_view_names())
    grants = _grants(connection) if connection.dialect.name == "postgresql" else ()
    for name in reversed(NAMES):
        if name in there:
            connection.exec_driver_sql(f"DROP VIEW {name}")
    return grants


def _grants(connection: sa.Connection) -> Grants:
    query = sa.text(
        "SELECT table_name, grantee FROM information_schema.table_privileges WHERE privilege_type = 'SELECT' "
        "AND table_schema = current_schema() AND table_name = ANY(:names) AND grantee <> current_user"
    )
    rows = connection.execute(query, {"names": list(NAMES)})
    return tuple((name, user) for name, user in rows)


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
        "results": _RESULT.format(created=time(made), ended=time("a.ended_ns"), short=_short(dialect)),
        "result_doubts": _doubts(dialect),
        "result_tags": "activity AS result, tag FROM tag",
        "trials": _TRIAL.format(started=time("t.started_ns"), ended=time("t.ended_ns")),
        "measurements": _MEASUREMENT.format(started=time("t.started_ns")),
        "trial_doubts": 'activity AS result, "index" AS trial, code, sentence FROM doubt',
        "losses": _losses(dialect, time("a.created_ns")),
        "boots": f'activity AS result, machine, boot, {time("taken_ns")} AS "at", facts, guests FROM boot',
    }


def _short(dialect: str) -> str:
    """Return the columns of results that are told by what they are in short."""
    return ", ".join(
        f"json_extract(c.content, '$.{name}') AS {name}"
        if dialect == "sqlite"
        else f"(c.content::json ->> '{name}')::{kind} AS {name}"
        for name, kind in _SHORT_FIELDS
    )


def _doubts(dialect: str) -> str:
    """Return the query of one row a doubt of each result, from the results in short."""
    return f"s.activity AS result, {_each(dialect, 'doubts', _DOUBT_FIELDS)}"


def _losses(dialect: str, created: str) -> str:
    """Return the query of one row a metric of each result, from the results in short."""
    its = f"s.activity AS result, a.scene, {created} AS created, a.machine AS lane, a.controller"
    return f"{its}, {_each(dialect, 'estimates', _LOSS_FIELDS, 'JOIN activity a ON a.id = s.activity')}"


def _each(dialect: str, part: str, fields: tuple[tuple[str, str], ...], join: str = "") -> str:
    """Return the columns and tables of a query of one row an entry of a list of the results in short."""
    if dialect == "sqlite":
        columns = (f"json_extract(e.value, '$.{name}') AS {_named(name)}" for name, _ in fields)
        rows = f"json_each(s.content, '$.{part}') e"
    else:
        columns = (f"(e.value ->> '{name}')::{kind} AS {_named(name)}" for name, kind in fields)
        rows = f"LATERAL json_array_elements(s.content::json -> '{part}') e(value)"
    return f"{', '.join(columns)} FROM summary_content s {join} CROSS JOIN {rows}"


def _named(name: str) -> str:
    return f'"{name}"'
