"""``perf stat -x``: fields in a fixed order, some of them only with some options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.workloads.outputs.numbered import Line, finite
from assay.workloads.tools.perf.counter import NO_NUMBER, Collected, Counter, add

_SEPARATORS = (",", ";", "\t", "|", "@", "^", ":", " ")
_INTERVAL = re.compile(r"\s*(\d+\.\d{9}|summary)")
_OPEN = re.compile(r"[\w.-]+/")
"""The beginning of an event with its fields."""
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")
_PLACE = re.compile(r"\s*+(CPU\d+|S\d+(?:-D\d+)?(?:-CLS\d+)?(?:-L\d-ID\d+)?(?:-C\d+)?|D\d+|N\d+|.+-\d+)\s*")
_KINDS = (("CPU", "cpu"), ("N", "node"), ("D", "die"))


@dataclass(frozen=True)
class _Fields:
    """The fields of a line that are left to be read."""

    line: Line
    labels: Mapping[str, str]
    words: tuple[str, ...]


def read_csv(lines: list[Line]) -> Collected:
    """Return the figures of all lines.

    Raises:
        OutputError: a line that does not have perf's fields.
    """
    separator = next((mark for mark in _SEPARATORS if _parse(lines[0], mark) is not None), None)
    if separator is None:
        lines[0].unknown()
    collected, event = Collected(), ""
    for line in lines:
        if (counter := _parse(line, separator, event)) is None:
            line.unknown()
        event = counter.event
        add(collected, counter)
    return collected


def _parse(line: Line, separator: str, event: str = "") -> Counter | None:
    fields = _place(_interval(line, _split(line.text, separator)))
    words = fields.words
    if len(words) < 3 or not (words[0] in NO_NUMBER or words[0] == "" or finite(words[0]) is not None):
        return None
    if words[0] == "":  # a further metric of the counter above
        return _further(fields, event)
    if not words[2] or finite(words[2]) is not None:
        return None
    return _counter(fields)


def _split(text: str, separator: str) -> tuple[str, ...]:
    """Return the fields; an event may have the separator between its slashes
    (``cpu/event=0x3c,umask=0x0/``).
    """
    parts: list[list[str]] = []
    slashes, named = 0, False
    for word in text.split(separator):
        if slashes % 2 == 1 and named and _OPEN.match(parts[-1][0]) is not None:
            parts[-1].append(word)
        else:
            parts.append([word])
            slashes, named = 0, False
        slashes, named = slashes + word.count("/"), named or "=" in word
    joined = [separator.join(part) for part in parts]
    return tuple(word if index else word.strip() for index, word in enumerate(joined))


def _interval(line: Line, words: tuple[str, ...]) -> _Fields:
    if words and (match := _INTERVAL.fullmatch(words[0])) is not None:
        return _Fields(line, {"interval": match[1]}, words[1:])
    return _Fields(line, {}, words)


def _place(fields: _Fields) -> _Fields:
    words = fields.words
    if not words or words[0] in ("", *NO_NUMBER) or finite(words[0]) is not None:
        return fields
    if (match := _PLACE.fullmatch(words[0])) is None:
        return fields
    kind, rest = kind_of(match[1]), words[1:]
    labels = {**fields.labels, kind: match[1]}
    if kind not in ("cpu", "thread") and rest and rest[0].strip().isdigit():
        labels, rest = {**labels, "counters": rest[0].strip()}, rest[1:]
    return _Fields(fields.line, labels, rest)


def kind_of(place: str) -> str:
    """Return what a place is: ``S0-D0-C1`` -> ``core``."""
    for start, kind in _KINDS:
        if re.fullmatch(rf"{start}\d+", place):
            return kind
    if re.fullmatch(r"S\d+(-.*)?", place) is None:
        return "thread"
    for part, kind in (("-C", "core"), ("-L", "cache"), ("-CLS", "cluster"), ("-D", "die")):
        if re.search(rf"{part}\d", place):
            return kind
    return "socket"


def _further(fields: _Fields, event: str) -> Counter | None:
    metric = [word for word in fields.words if word]
    if len(metric) != 2 or not event:
        return None
    return Counter(fields.line, fields.labels, event, "", metric=(metric[0].strip(), metric[1]))


def _counter(fields: _Fields) -> Counter | None:
    value, unit, event, *rest = fields.words
    labels, variance = dict(fields.labels), ""
    if rest and rest[0] and not _PERCENT.fullmatch(rest[0]) and finite(rest[0]) is None:
        labels["cgroup"] = rest.pop(0)
    if rest and (match := _PERCENT.fullmatch(rest[0])) is not None:
        variance, _ = match[1], rest.pop(0)
    runtime, running, metric, metric_unit, *more = (*rest, "", "", "", "")
    if any(more) or (running and finite(running) is None):
        return None
    pair = (metric.strip(), metric_unit)
    return Counter(fields.line, labels, event.strip(), value, unit, variance, runtime, running, pair)
