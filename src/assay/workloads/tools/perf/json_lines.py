"""``perf stat -j``: JSON objects, as a rule one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from assay.workloads.outputs.numbered import Line
from assay.workloads.tools.perf.counter import Collected, Counter, add

_WHERE = ("interval", "core", "socket", "die", "cluster", "cache", "node", "cpu", "thread", "cgroup")
_COUNTS = ("aggregate-number", "counters", "cpus")
_VALUES = (
    "counter-value", "unit", "event", "variance", "event-runtime", "pcnt-running",
    "metric-value", "metric-unit", "metric-threshold", "metricgroup",
)  # fmt: skip
_KNOWN = frozenset((*_WHERE, *_COUNTS, *_VALUES))


def read_json(lines: list[Line]) -> Collected:
    """Return the figures of all lines.

    Raises:
        OutputError: not an object of perf's, a key that is not known.
    """
    collected, event = Collected(), ""
    for line, decoded in _objects(lines):
        entry = _entry(line, decoded)
        event = entry.get("event") or event
        add(collected, _counter(line, entry, event))
    return collected


def _objects(lines: list[Line]) -> Iterator[tuple[Line, object]]:
    """Yield each object with the line where it starts; one may lie over several lines, or several in one."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    text = "\n".join(line.text for line in lines)
    at = number = 0
    while (start := _after_blanks(text, at)) < len(text):
        number += text.count("\n", at, start)
        try:
            decoded, end = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError) as error:
            problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            lines[number].fail(f"expected a whole JSON object: {problem}")
        yield lines[number], decoded
        number += text.count("\n", start, end)
        at = end


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _entry(line: Line, entry: object) -> dict[str, str]:
    if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
        line.unknown()
    for key in entry:
        if key not in _KNOWN:
            line.fail(f"expected a key of perf stat, got '{key:.40}'")
    return entry


def _counter(line: Line, entry: dict[str, str], event: str) -> Counter:
    if "counter-value" not in entry and "metric-value" not in entry:
        line.fail("expected 'counter-value' or 'metric-value', got neither")
    if "counter-value" in entry and not entry.get("event"):
        line.fail("expected 'event', got none")
    counted = "event-runtime" in entry
    variance = entry.get("variance", "")
    return Counter(
        line=line,
        labels=_labels(entry),
        event=event,
        value=entry.get("counter-value", "").strip(),
        unit=entry.get("unit", ""),
        variance=variance,
        runtime=entry["event-runtime"] if counted else "",
        running=entry.get("pcnt-running", ""),
        metric=(entry.get("metric-value", "").strip(), entry.get("metric-unit", "")),
    )


def _labels(entry: dict[str, str]) -> dict[str, str]:
    labels = {key: entry[key].strip() for key in _WHERE if entry.get(key)}
    labels |= {"metricgroup": entry["metricgroup"]} if entry.get("metricgroup") else {}
    counts = next((entry[key] for key in _COUNTS if key in entry), None)
    return labels if counts is None else labels | {"counters": counts}
