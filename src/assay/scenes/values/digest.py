"""The digest of a scene: equal where two ask for the same.

A value that is a field's default is left out, so that a field that a later version adds does not change what
older scenes have. The fields of the first format are always there, for their defaults were counted from the
beginning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

FIRST: Mapping[str, tuple[str, ...]] = {
    "Scene": ("name", "title", "baseline", "treatment", "workloads", "design"),
    "Guest": ("vcpus", "memory_bytes", "disk_cache"),
    "OtherMachine": ("machine", "cpu_quota"),
    "Design": ("blocks", "confidence", "margin", "seed"),
    "Goal": (
        *("adaptive", "precision", "minimum_blocks", "time_budget_s", "sessions", "session_gap_s", "shape"),
        *("reference", "rerun", "runs"),
    ),
    "Ready": ("name", "parameters"),
    "Own": ("name", "command", "inputs", "time_limit_s"),
    "Parameters": ("runtime_s", "size_bytes"),
    "DataSpec": ("path", "size_bytes", "files"),
    "Layout": ("guests", "stagger_s", "preload"),
}
"""By the name of a class its fields in format 1; of a class that is not named all are always there. No field
is ever added; a class that was not named is, with all the fields that it had, before it gets another one.
"""
UNCOUNTED: Mapping[str, tuple[str, ...]] = {
    "Scene": ("source", "file", "scales", "published", "takes_s", "needs"),
    "Goal": ("wait_quiet_s", "require_quiet"),
    "Parameters": ("events",),
}
"""What changes nothing of what is measured: where a scene is from, what else it could be; a
member's events.
"""


def digest_of(asked: Mapping[str, Any]) -> str:
    """Return the SHA-256 in hex of what is asked, as ``what_is_asked`` has it."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def what_is_asked(value: Any) -> Any:
    """Return a value of a scene as JSON, without what is a default or does not count."""
    if isinstance(value, tuple):
        return [what_is_asked(one) for one in value]
    if not is_dataclass(value):
        return value
    kind = type(value).__name__
    first, uncounted = FIRST.get(kind), UNCOUNTED.get(kind, ())
    asked = {item.name: what_is_asked(getattr(value, item.name)) for item in fields(value)}
    return {
        item.name: asked[item.name]
        for item in fields(value)
        if item.name not in uncounted
        and (first is None or item.name in first or asked[item.name] != _default(item))
    }


def _default(item: Field[Any]) -> Any:
    return MISSING if item.default is MISSING else what_is_asked(item.default)
