"""Names, units and directions of what stress-ng measures, the same for its log and its YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.numbered import slug

HIGHER, LOWER = Direction.HIGHER, Direction.LOWER
COLUMNS: Mapping[str, tuple[str, Direction | None]] = MappingProxyType(
    {
        "bogo_ops": ("bogo ops", HIGHER),
        "wall_clock_time": ("s", None),
        "user_time": ("s", None),
        "system_time": ("s", None),
        "bogo_ops_per_second_real_time": ("bogo ops/s", HIGHER),
        "bogo_ops_per_second_usr_sys_time": ("bogo ops/s", HIGHER),
        "cpu_usage_per_instance": ("%", None),
        "max_rss": ("KiB", LOWER),
    }
)
"""What is printed of every stressor, in the order of the table. In a run of a given length the times are what
was given and what was got of it, so that neither is better. ``max_rss`` is the kernel's ``ru_maxrss``, in
1024 bytes.
"""

_TIME = re.compile(r"(nano|micro|milli)sec(?:ond)?s?\b")
_SHORT = MappingProxyType({"nano": "ns", "micro": "us", "milli": "ms"})
_RATE = re.compile(
    r"(?:\b(\w+)(?: |-)per(?: |-)sec(?:ond)?\b|(?:\b(MB|GB|KB) (?:read|write|recv'd|sent) "
    r"?(?:/|per )sec\b)|\b(\w+)/sec\b)",
    re.IGNORECASE,
)
_AMOUNTS = frozenset({"B", "KB", "MB", "GB", "Mflop", "Gflop", "mb", "gb", "kb", "mflop", "gflop"})


def column(metric: str, value: float, stressor: str) -> Figure:
    """Return a figure of the table."""
    unit, direction = COLUMNS[metric]
    return Figure(metric, value, unit, direction, {"stressor": stressor})


def described(description: str, value: float, labels: Mapping[str, str]) -> Figure:
    """Return a figure that a stressor describes in words: ``nanosecs per context switch (pipe method)``.

    A time is better low, anything a second better high; of other quantities it is not known.
    """
    name = slug(description)
    if (match := _TIME.match(description)) is not None:
        return Figure(name, value, _SHORT[match[1]], LOWER, labels)
    if (match := _RATE.search(description)) is not None:
        what = match[2] or match[1] or match[3]
        return Figure(name, value, f"{what}/s" if what in _AMOUNTS else "1/s", HIGHER, labels)
    return Figure(name, value, "%" if description.startswith("%") else "1", None, labels)


def counter(name: str, value: float, stressor: str) -> Figure:
    """Return what ``--perf`` counted of a stressor; the two clocks are in nanoseconds."""
    clock = name in ("cpu_clock_total", "task_clock_total")
    unit = "ns" if clock else "1/s" if name.endswith("_per_second") else "1"
    return Figure(name, value, unit, None, {"stressor": stressor})


def temperature(zone: str, value: float, stressor: str) -> Figure:
    """Return what ``--tz`` measured while a stressor ran."""
    return Figure("temperature", value, "degC", None, {"stressor": stressor, "zone": zone})


def power(domain: str, value: float, stressor: str) -> Figure:
    """Return what ``--rapl`` measured while a stressor ran."""
    return Figure("power", value, "W", None, {"stressor": stressor, "domain": domain})


def of_the_run(name: str, value: float) -> Figure:
    """Return a figure of ``--times``."""
    unit = "%" if name.endswith("percent") else "1" if name.startswith("load_average") else "s"
    return Figure(name, value, unit, None)
