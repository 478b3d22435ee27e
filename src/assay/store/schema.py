"""JSON Schemas of the files that the store writes, generated from the values."""

from __future__ import annotations

from typing import Any

from assay.design.site_floor import History
from assay.model.activity import ActivityPlan
from assay.model.fleet import Fleet
from assay.model.trial import Trial

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def record_schema() -> dict[str, Any]:
    """Return the schema of ``trial.json``."""
    return _schema(Trial, "assay.record", "The record of a trial, format 1")


def activity_schema() -> dict[str, Any]:
    """Return the schema of ``activity.json``."""
    return _schema(ActivityPlan, "assay.activity", "The plan of an activity, format 1")


def floor_schema() -> dict[str, Any]:
    """Return the schema of ``floor.json``."""
    return _schema(History, "assay.floor", "The A/A history of a site, format 1")


def fleet_schema() -> dict[str, Any]:
    """Return the schema of ``fleet.json``."""
    return _schema(Fleet, "assay.fleet", "The plan of an activity on several machines, format 1")


def _schema(kind: type, name: str, title: str) -> dict[str, Any]:
    from pydantic import TypeAdapter

    schema = TypeAdapter(kind).json_schema()
    head = {
        "schema": {"const": name},
        "version": {"type": "array", "prefixItems": [{"const": 1}, {"type": "integer", "minimum": 0}]},
    }
    schema["properties"] = head | schema["properties"]
    schema["required"] = [*head, *schema["required"]]
    return {"$schema": DIALECT, **schema, "title": title}
