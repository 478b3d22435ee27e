"""stress-ng's YAML file, line by line as it is printed: its values are not quoted, so that it is not always
YAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.model.work.tool_output import Figure, Refused
from assay.workloads.outputs.numbered import Line, finite, slug
from assay.workloads.tools.stress_ng.runs import PREFIX
from assay.workloads.tools.stress_ng.words import (
    COLUMNS,
    column,
    counter,
    described,
    of_the_run,
    power,
    temperature,
)

_START = re.compile(r"---\s*$|(?:system-info|metrics):")
_SECTION = re.compile(r"([a-z][a-z-]*):\s*")
_STRESSOR = re.compile(r"\s*- stressor:\s*(\S+)\s*")
_ENTRY = re.compile(r"\s+([^\s:][^:]*):(.*)")
_FIGURES = ("metrics", "perfstats", "thermal-zones", "rapl-power-domains", "times", "interrupts")


@dataclass
class Yaml:
    """What the file says so far."""

    figures: list[Figure] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    version: str | None = None
    section: str = ""
    stressor: str | None = None
    ended: bool = False
    started: bool = field(default=False)


def part(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines of the log and those of the YAML: from ``---`` (or the first section) to ``...``."""
    starts = [line.number for line in lines if _START.match(line.text)]
    ends = [line.number for line in lines if line.text.rstrip() == "..."]
    begin = starts[0] if starts else len(lines) + 1
    end = ends[-1] if ends else len(lines)

    def inside(line: Line) -> bool:
        logged = line.text.startswith("stress-ng:") or PREFIX.match(line.text) is not None
        return begin <= line.number <= end and not logged

    return [line for line in lines if not inside(line)], [line for line in lines if inside(line)]


def read_yaml(lines: list[Line]) -> Yaml:
    """Return the figures of the YAML; none where there is no YAML.

    Raises:
        OutputError: a section or an entry that is not known, or the file is cut.
    """
    yaml = Yaml()
    for line in lines:
        _take(yaml, line)
    if yaml.started and not yaml.ended:
        lines[-1].fail("expected '...' at the end of the YAML, got its end")
    return yaml


def _take(yaml: Yaml, line: Line) -> None:
    text = line.text
    if text.strip() in ("---", "...", ""):
        yaml.started, yaml.ended = yaml.started or text.strip() == "---", text.strip() == "..."
    elif (section := _SECTION.fullmatch(text)) is not None:
        yaml.section, yaml.stressor = section[1], None
        if yaml.section not in _FIGURES and not yaml.section.endswith("-info"):
            line.unknown()
    elif (stressor := _STRESSOR.fullmatch(text)) is not None:
        yaml.stressor = stressor[1]
    elif (entry := _ENTRY.fullmatch(text)) is not None and yaml.section:
        _take_entry(yaml, line, entry[1], entry[2].strip())
    else:
        line.unknown()


def _take_entry(yaml: Yaml, line: Line, key: str, word: str) -> None:
    if yaml.section.endswith("-info"):
        yaml.version = word.strip("'\"") if key == "stress-ng-version" else yaml.version
        return
    if yaml.section != "times" and yaml.stressor is None:
        line.fail(f"expected '- stressor:' before '{key}'")
    stressor = yaml.stressor or ""
    if word.strip("+-.").lower() in ("nan", "inf"):
        yaml.refused.append(Refused(slug(key), f"stress-ng printed '{word}'", {"stressor": stressor}))
        return
    if (value := finite(word)) is None:
        line.fail(f"expected a number for '{key}', got '{word:.40}'")
    yaml.figures.append(_figure(yaml.section, key, value, stressor))


def _figure(section: str, key: str, value: float, stressor: str) -> Figure:
    name = slug(key)
    if section == "times":
        return of_the_run(name, value)
    if section == "perfstats":
        return (
            Figure("perf_duration", value, "s", None, {"stressor": stressor})
            if name == "duration"
            else counter(name, value, stressor)
        )
    if section == "thermal-zones":
        return temperature(key, value, stressor)
    if section == "rapl-power-domains":
        return power(key, value, stressor)
    if name in COLUMNS and section == "metrics":
        return column(name, value, stressor)
    return described(key.replace("-", " "), value, {"stressor": stressor})
