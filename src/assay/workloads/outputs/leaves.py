"""Every number of a JSON report as a figure: what a rule knows by its unit, what none knows
marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure
from assay.workloads.document import Document

Path = tuple[str | int, ...]
UNKNOWN_UNIT = "unknown"
UNKNOWN = "this version of assay does not know what it is, nor its unit"


@dataclass(frozen=True)
class Rule:
    """What is known of the numbers at some places of a report.

    Attributes:
        pattern: The whole place, its words joined by ``/``; groups with a name become labels and leave the
            metric's name.
        unit: The tool's own.
        direction: Which way is better.
        signed: The tool prints negative values of it that mean something.
    """

    pattern: re.Pattern[str]
    unit: str
    direction: Direction | None
    signed: bool


def rule(pattern: str, unit: str, direction: Direction | None = None, *, signed: bool = False) -> Rule:
    """Return a rule for the places that a pattern matches."""
    return Rule(re.compile(pattern), unit, direction, signed)


def leaves(tree: object) -> Iterator[tuple[Path, object]]:
    """Yield what is neither object nor list, with its path, in the order printed."""
    waiting: list[tuple[Path, object]] = [((), tree)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, dict):
            waiting += [((*path, name), child) for name, child in reversed(here.items())]
        elif isinstance(here, list):
            waiting += [((*path, at), child) for at, child in reversed(list(enumerate(here)))]
        else:
            yield path, here


def figures(
    report: Document, place: Path, rules: Sequence[Rule], *, labels: Mapping[str, str], within: str = ""
) -> Iterator[Figure]:
    """Yield every number below a place of a report.

    Args:
        report: The whole report.
        place: Path of the part that is read.
        rules: What is known; the first that matches counts.
        labels: Of all its figures.
        within: What stands before the metric's name, the tool's word for the part.

    Raises:
        OutputError: what a rule knows is no number, or negative where that means nothing.
    """
    for path, _ in leaves(report.at(*place)):
        if path and (leaf := figure(report, (*place, *path), rules, depth=len(place))) is not None:
            name = f"{within}_{leaf.metric}" if within else leaf.metric
            yield Figure(name, leaf.value, leaf.unit, leaf.direction, {**labels, **leaf.labels})


def figure(report: Document, path: Path, rules: Sequence[Rule], *, depth: int) -> Figure | None:
    """Return the number at a path, ``None`` where there is none and no rule expects one.

    Args:
        report: The whole report.
        path: From its top.
        rules: As of ``figures``.
        depth: How many steps of the path lead to the part; the others name the metric.
    """
    words = "/".join(map(str, path[depth:]))
    for known in rules:
        if (match := known.pattern.fullmatch(words)) is not None:
            reported = report.number(*path, signed=known.signed)
            return Figure(_name(words, match), reported, known.unit, known.direction, match.groupdict())
    value = report.at(*path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Figure(
        snake(words), report.number(*path, signed=True), UNKNOWN_UNIT, None, {NOT_COMPARABLE: UNKNOWN}
    )


def snake(words: str) -> str:
    """Return words in lower case with underscores."""
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _name(words: str, match: re.Match[str]) -> str:
    for group in sorted(match.groupdict(), key=match.start, reverse=True):
        start, end = match.span(group)
        words = words[:start] + words[end:]
    return snake(words)
