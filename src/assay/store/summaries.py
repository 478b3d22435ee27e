"""Results in short, kept beside the rows of their activities: lists are made of them, never of records.

A summary is of so many records, and of the assay that made it; where either is another it is made anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from assay.model.activity import ActivityState
from assay.store import tables as t
from assay.store.rows import KeptFleetSummary, KeptSummary


def put(connection: sa.Connection, kept: KeptSummary) -> None:
    """Keep a summary in the place of that before, if its activity is there."""
    there = held(connection, t.activity.c.id, kept.activity)
    connection.execute(sa.delete(t.summary).where(t.summary.c.activity == kept.activity))
    if there:
        its = {"activity": kept.activity}
        short = {name: value for name, value in vars(kept).items() if name != "content"}
        connection.execute(sa.insert(t.summary).values(**short))
        content = _printable(kept.content)
        connection.execute(sa.insert(t.summary_content).values(**its, content=content))
        if keys := [{**its, "field": field, "value": value} for field, value in _keys(kept.content)]:
            connection.execute(sa.insert(t.summary_key), keys)


def _printable(content: str) -> str:
    """Return JSON without a NUL in its texts, which PostgreSQL cannot tell in a view."""
    if "\\u0000" not in content:
        return content
    return json.dumps(_marked(json.loads(content)))


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_marked(one) for one in value]
    if isinstance(value, dict):
        return {name: _marked(one) for name, one in value.items()}
    return value


def put_fleet(connection: sa.Connection, kept: KeptFleetSummary) -> None:
    """Keep what lists say of an activity on several machines in the place of that before, if it is there."""
    there = held(connection, t.fleet.c.id, kept.fleet)
    connection.execute(sa.delete(t.fleet_summary).where(t.fleet_summary.c.fleet == kept.fleet))
    if there:
        connection.execute(sa.insert(t.fleet_summary).values(**vars(kept)))


def held(connection: sa.Connection, of: sa.Column[str], name: str) -> bool:
    """Tell whether a row is there; who else keeps something of it waits for the end of the transaction."""
    query = sa.select(of).where(of == name).with_for_update(key_share=True)
    return connection.execute(query).scalar() is not None


def select_kept_fleets(made_by: str, of_others: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return the query of what is kept of activities on several machines and still right.

    Args:
        made_by: This assay.
        of_others: Tells those of other controllers, which alone can make theirs anew.
    """
    each = sa.func.sum(t.activity.c.ended + t.activity.c.failed)
    lanes = sa.select(t.activity.c.fleet, each.label("records")).where(t.activity.c.fleet.is_not(None))
    now = lanes.group_by(t.activity.c.fleet).subquery()
    records = sa.func.coalesce(now.c.records, 0)
    is_right = (t.fleet_summary.c.made_by == made_by) & (t.fleet_summary.c.records == records)
    query = sa.select(t.fleet_summary).join(t.fleet, t.fleet.c.id == t.fleet_summary.c.fleet)
    return query.outerjoin(now, now.c.fleet == t.fleet.c.id).where(is_right | of_others)


def _keys(content: str) -> Sequence[tuple[str, str]]:
    """Return what a result is found by: its verdicts, and its machines by host name and with their
    processor.
    """
    held = json.loads(content)
    found = {("verdict", str(one["verdict"])) for one in held["estimates"]}
    for machine in held["machines"]:
        found |= {("machine", machine), ("machine", machine.partition(" (")[0])}
    return sorted(found)


def select_kept(made_by: str, of_others: sa.ColumnElement[bool], *, or_last: bool = False) -> sa.Select[Any]:
    """Return the query of the summaries that are still right, without their content.

    Args:
        made_by: This assay.
        of_others: Tells the activities of other controllers, which alone can make theirs anew.
        or_last: Of an activity whose row says that it runs, the last one too, of fewer records.
    """
    records = t.activity.c.ended + t.activity.c.failed
    whole = t.summary.c.records == records
    last = (t.activity.c.state == ActivityState.RUNNING) & (t.summary.c.records < records)
    is_right = (t.summary.c.made_by == made_by) & (whole | last if or_last else whole)
    query = sa.select(t.summary).join(t.activity, t.activity.c.id == t.summary.c.activity)
    return query.where(is_right | of_others)
