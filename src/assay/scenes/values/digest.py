"""The digest of a scene: equal where two ask for the same.

A value that is a field's default is left out, so that a field or a class that a later version adds does not
change what older scenes have. The fields of the first format are always there, for their defaults were
counted from the beginning (docs/decisions/0071).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

FORMAT_1: Mapping[str, tuple[str, ...]] = {
    "Scene": ("name", "title", "baseline", "treatment", "workloads", "design"),
    "Guest": ("vcpus", "memory_bytes", "disk_cache"),
    "OtherMachine": ("machine", "cpu_quota"),
    "DomainSpec": ("name", "hypervisor"),
    "PlannedContainer": ("runtime", "memory_bytes", "cpu_quota", "platform", "layout"),
    "PluginPlace": ("kind", "levels"),
    "Layout": ("guests", "stagger_s", "preload"),
    "ProcessorsSpec": ("which", "threads"),
    "Design": ("blocks", "confidence", "margin", "seed"),
    "Goal": (
        *("adaptive", "precision", "minimum_blocks", "time_budget_s", "sessions", "session_gap_s", "shape"),
        *("reference", "rerun", "runs"),
    ),
    "Observation": ("interval_s", "watch", "counters", "profile"),
    "Profile": ("hz", "scope"),
    "DataSpec": ("path", "size_bytes", "files"),
    "Scripts": ("role", "setup", "check", "start", "teardown", "inputs", "time_limit_s"),
    "Ready": ("name", "parameters"),
    "Parameters": ("runtime_s", "size_bytes"),
    "ContainerRun": ("image", "score", "engine", "threads", "copies", "arguments"),
    "Own": ("name", "command", "inputs", "time_limit_s"),
    "PlacementSpec": ("copies", "threads", "pinning", "memory_nodes", "nice", "stagger_s"),
    "CacheSpec": ("state", "files", "drop"),
    "PhaseRules": ("marks", "events", "log", "announce"),
    "Mark": ("phase", "pattern"),
    "Reading": ("metric", "pattern", "pointer", "figure", "labels", "file", "of"),
    "Metric": ("name", "unit", "direction", "timed", "of_copies"),
    "Success": ("exit", "pattern", "absent", "log", "files"),
}
"""By the name of a class the fields that are there at their defaults, too. Never changed: neither a new field
nor a new class is added.
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
    always, uncounted = FORMAT_1.get(kind, ()), UNCOUNTED.get(kind, ())
    asked = {item.name: what_is_asked(getattr(value, item.name)) for item in fields(value)}
    return {
        item.name: asked[item.name]
        for item in fields(value)
        if item.name not in uncounted and (item.name in always or asked[item.name] != _default(item))
    }


def _default(item: Field[Any]) -> Any:
    if item.default_factory is not MISSING:
        return what_is_asked(item.default_factory())
    return MISSING if item.default is MISSING else what_is_asked(item.default)
