"""The lines of sysbench's report, one by one, and which part of it each belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.model.work.tool_output import Figure, Refused
from assay.workloads.errors import OutputError
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.outputs.shell import SHELL
from assay.workloads.tools.sysbench.interval import interval
from assay.workloads.tools.sysbench.words import HEADINGS, PATTERNS, SIZES, TOOL, Field

Line = tuple[int, str]
_CHECKPOINT = re.compile(r"\[ *(\d+)s? *\] Checkpoint report:")
_DISABLED = re.compile(r"percentile stats:\s*disabled")
_NUMBER = re.compile(NUMBER)
_NO_NUMBER = re.compile(r"[+-]?(?:nan|inf)", re.IGNORECASE)


@dataclass(frozen=True)
class ReportedLine:
    """A figure, or what stands for one, and the line that says it."""

    line: int
    entry: Figure | Refused


def reported_lines(lines: Sequence[Line], *, lenient: bool) -> list[ReportedLine]:
    """Return what lines of a report say.

    Args:
        lines: With their numbers in the file.
        lenient: What comes before the first figure may say anything, as the options do.

    Raises:
        OutputError: a line is not known, its figure is no number, or a figure comes twice outside of
            checkpoints.
    """
    reported: list[ReportedLine] = []
    labels: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for number, text in lines:
        line = text.strip()
        if (checkpoint := _CHECKPOINT.fullmatch(line)) is not None:
            labels, seen = {"checkpoint": f"{checkpoint[1]}s"}, set()
            continue
        entries = None if HEADINGS.fullmatch(line) or SHELL.match(line) else _entries(number, line)
        if entries is None:
            continue
        if not entries and not (lenient and not reported):
            raise OutputError(TOOL, number, f"expected a line of sysbench's report, got '{line:.80}'")
        keys = {(entry.metric, repr(sorted(entry.labels.items()))) for entry in entries}
        if keys & seen:
            if labels.get("checkpoint") in {None, "end"}:
                raise OutputError(TOOL, number, f"expected one '{line:.80}', got a second")
            labels, seen = {"checkpoint": "end"}, set()
        seen |= keys
        reported += [ReportedLine(number, _labelled(entry, labels)) for entry in entries]
    return reported


def _entries(number: int, line: str) -> list[Figure | Refused]:
    if _DISABLED.fullmatch(line) is not None:
        return [Refused("latency_percentile", "disabled by --percentile=0")]
    if line.startswith("["):
        return list(interval(number, line))
    for pattern, fields in PATTERNS:
        if (match := pattern.fullmatch(line)) is not None:
            labels = {
                name: text for name, text in match.groupdict().items() if name in {"percentile", "value_ms"}
            }
            return list(_figures(number, line, match, fields, labels))
    return []


def _figures(
    number: int, line: str, match: re.Match[str], fields: Sequence[Field], labels: Mapping[str, str]
) -> Iterator[Figure | Refused]:
    for one in fields:
        text, unit = _sized(match[one.group], one.unit)
        own = {**labels, **({"operation": one.operation} if one.operation else {})}
        if _NO_NUMBER.fullmatch(text) is not None:
            yield Refused(one.metric, f"sysbench printed '{text}'", own)
        elif _NUMBER.fullmatch(text) is None:
            raise OutputError(TOOL, number, f"expected a number, got '{line:.80}'")
        else:
            yield Figure(one.metric, float(text), unit, one.direction, own)


def _sized(text: str, unit: str) -> tuple[str, str]:
    """Return number and unit of a size such as ``62.5Mb``, in which 1024 are counted."""
    size = SIZES.fullmatch(text) if unit.startswith("size") else None
    if size is None:
        return text, unit
    return size[1], unit.replace("size", f"{size[2].upper()}iB" if size[2] else "B")


def _labelled(entry: Figure | Refused, labels: Mapping[str, str]) -> Figure | Refused:
    if isinstance(entry, Refused):
        return Refused(entry.metric, entry.reason, {**entry.labels, **labels})
    return Figure(entry.metric, entry.value, entry.unit, entry.direction, {**entry.labels, **labels})
