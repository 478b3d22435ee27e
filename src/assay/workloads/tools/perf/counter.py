"""A counter of ``perf stat`` as figures: the same from its text, its CSV and its JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused
from assay.workloads.outputs.numbered import Line, because, finite, slug

NO_NUMBER = ("<not supported>", "<not counted>")
LEAST_PERCENT = 50.0
"""Of its time: below it more than half of a figure is extrapolated."""

_LOWER = re.compile(r"clock|time|miss|fault|switch|migration|stall|cycles")
_MODIFIER = re.compile(r":[a-zA-Z]+$")
_SCALES = re.compile(r"[KMGBT]?/sec|[KMGT]?Hz|/s")
_SCALED = re.compile(r"([^\s%]+)\s{2,}(\S+)")
"""A unit and a name, ``MB/s  memory_bandwidth_read``, of metrics that have a unit of their own."""
_NO_UNIT = "(null)"
"""Printed where there is no metric."""
_OLDER = MappingProxyType({"insns per cycle": "insn_per_cycle"})
"""What older versions called it, and its name today."""


@dataclass
class Collected:
    """What was read so far."""

    figures: list[Figure] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


@dataclass(frozen=True)
class Counter:
    """A line of ``perf stat`` in words, as printed; empty is "not printed".

    Attributes:
        line: Where it stands.
        labels: Interval, processor and the like.
        event: Name of the event, ``cycles:u``.
        value: A number without separators of thousands, or one of ``NO_NUMBER``.
        unit: ``msec``, ``Joules``; empty of a count.
        variance: Spread over repeated runs, %.
        runtime: Nanoseconds that it counted.
        running: Part of the time that it counted, %.
        metric: What perf derives from it, and its unit.
    """

    line: Line
    labels: Mapping[str, str]
    event: str
    value: str
    unit: str = ""
    variance: str = ""
    runtime: str = ""
    running: str = ""
    metric: tuple[str, str] = ("", "")


def add(collected: Collected, counter: Counter) -> None:
    """Add the figures of a counter, and what it has no number for."""
    labels = {**counter.labels, "event": counter.event}
    name = slug(_MODIFIER.sub("", counter.event))
    if counter.value in NO_NUMBER:
        collected.refused.append(Refused(name, f"perf printed '{counter.value}'", labels))
    elif counter.value:
        value = counter.line.value(counter.value)
        multiplexed = (finite(counter.running) or 100.0) < 100.0
        share = {"running": f"{counter.running} %"} if multiplexed else {}
        judged = because(_extrapolated(counter), labels | share)
        collected.figures.append(Figure(name, value, counter.unit or "1", _direction(name), judged))
        _add_times(collected, counter, labels)
    if counter.value not in NO_NUMBER:
        _add_metric(collected, counter, labels)


def _extrapolated(counter: Counter) -> str | None:
    running = finite(counter.running) if counter.running else None
    if running is None or running >= LEAST_PERCENT:
        return None
    return f"it was counted in {running:g} % of the time and scaled up by perf"


def _add_times(collected: Collected, counter: Counter, labels: Mapping[str, str]) -> None:
    if not counter.value:
        return
    words = (
        ("variance", counter.variance, "%", Direction.LOWER),
        ("event_runtime", counter.runtime, "ns", None),
        ("pcnt_running", counter.running, "%", Direction.HIGHER),
    )
    for metric, word, unit, direction in words:
        if word:
            collected.figures.append(Figure(metric, counter.line.value(word), unit, direction, labels))


def _add_metric(collected: Collected, counter: Counter, labels: Mapping[str, str]) -> None:
    word, unit = counter.metric
    if not word or unit.strip() in ("", _NO_UNIT):
        return
    name, own, direction = _derived(unit.strip())
    if word.lower().strip("+-") in ("nan", "inf"):
        collected.refused.append(Refused(name, f"perf printed '{word}'", labels))
        return
    judged = because(_extrapolated(counter), labels)
    collected.figures.append(Figure(name, counter.line.value(word), own, direction, judged))


def _derived(unit: str) -> tuple[str, str, Direction | None]:
    if _SCALES.fullmatch(unit):
        return ("rate", unit, None)
    if (scaled := _SCALED.fullmatch(unit)) is not None:
        return (slug(scaled[2]), scaled[1], None)
    if unit.startswith("%"):
        name = slug(unit)
        return (name or "share", "%", Direction.LOWER if _LOWER.search(name) else None)
    name = _OLDER.get(unit, slug(unit))
    return (name, "1", Direction.HIGHER if name == "insn_per_cycle" else None)


def _direction(name: str) -> Direction | None:
    return Direction.LOWER if _LOWER.search(name) else None
