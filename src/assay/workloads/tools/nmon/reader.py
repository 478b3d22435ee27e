"""nmon: files of its data-collect mode (``-f``, ``-F``) for Linux: a heading for each section, a line a
snapshot.

Each figure has the label ``snapshot`` and, by the snapshot's ``ZZZZ`` line, ``time``. Configuration (``AAA``,
``BBB*``) and command lines (``UARG``) are text and are passed over. The file may be sorted, as nmon asks for.

Source: the headings of nmon 14 to 16 themselves; http://nmon.sourceforge.net.
Limits: percentages and rates are means over the time since the snapshot before, of the whole machine. Files
    of nmon for AIX have other sections and are not known. A row with more cells than its heading (a command
    with a comma, an interface that came later) is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.outputs.numbered import Line, because, finite, numbered, refuse_cut, slug
from assay.workloads.tools.nmon.sections import Column, Section, process_section, section_of

TOOL = "nmon"
FIRST = "the first snapshot has none before it to count from"

_SNAPSHOT = re.compile(r"T\d{4,}")
_TEXT = re.compile(r"AAA|BBB\w*|UARG|ERROR nmon.*|Generating disk group file.*")
_COUNTED = frozenset({"proc_pswitch", "proc_fork"})


@dataclass
class _Collected:
    times: dict[str, str] = field(default_factory=dict)
    sections: dict[str, Section] = field(default_factory=dict)
    headings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    version: str | None = None
    figures: list[Figure] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def read(output: bytes) -> ToolOutput:
    """Return the figures of all snapshots.

    Raises:
        OutputError: not nmon's, a line without its heading, or one with another number of cells.
    """
    lines = [line for line in numbered(output, tool=TOOL) if line.text.strip()]
    refuse_cut(output, tool=TOOL)
    collected = _Collected()
    for line in lines:
        _head(collected, line, line.text.split(","))
    for line in lines:
        _take(collected, line, line.text.split(","))
    if not collected.figures:
        lines[-1].fail("expected a snapshot ('CPU_ALL,T0001,…'), got none")
    return ToolOutput(TOOL, collected.version, tuple(collected.figures), tuple(collected.refused))


def _head(collected: _Collected, line: Line, cells: list[str]) -> None:
    """Keep times, the version and headings: in a sorted file they come after what they belong to."""
    if cells[0] == "ZZZZ":
        if len(cells) != 4:
            line.fail("expected 'ZZZZ,snapshot,time,date'")
        collected.times[cells[1]] = f"{cells[3]} {cells[2]}"
    elif cells[:2] == ["AAA", "version"] and len(cells) > 2:
        collected.version = cells[2]
    elif cells[0] == "TOP" and len(cells) > 2 and cells[1] in ("+PID", "PID"):
        collected.sections["TOP"] = process_section(tuple(cells[1:]))
    elif cells[0] == "TOP" and len(cells) > 2 and not _is_row(cells):
        line.unknown()
    elif not _is_text(cells) and len(cells) > 2 and not _is_row(cells):
        collected.headings[cells[0]] = tuple(_trimmed(cells[2:]))
        collected.sections[cells[0]] = section_of(cells[0], collected.headings[cells[0]])


def _take(collected: _Collected, line: Line, cells: list[str]) -> None:
    if _is_text(cells) or cells[0] == "ZZZZ" or not _is_row(cells):
        if len(cells) < 2:
            line.unknown()
        return
    if (section := _section(collected, cells[0])) is None:
        line.fail(f"expected a heading of '{cells[0]:.20}', got none")
    snapshot = cells[2] if cells[0] == "TOP" else cells[1]
    labels = {"snapshot": snapshot}
    labels |= {"time": collected.times[snapshot]} if snapshot in collected.times else {}
    words = cells[1:] if cells[0] == "TOP" else _trimmed(cells[2:])
    if len(words) > len(section.columns):
        reported = {"pid": section.labels(words)["pid"], **labels} if cells[0] == "TOP" else labels
        reason = (
            f"expected {len(section.columns)} cells, got {len(words)}: which belongs to which is not told"
        )
        collected.refused.append(Refused(slug(cells[0]), reason, reported))
        return
    if len(words) < len(section.columns) - section.optional:
        line.fail(f"expected {len(section.columns)} cells of '{cells[0]}', got {len(words)}")
    _add(collected, line, section.labels(words) | labels, list(zip(section.columns, words, strict=False)))


def _section(collected: _Collected, name: str) -> Section | None:
    """Return the section of a row: nmon 16 heads CPUUTIL001 to 002 and writes CPUUTIL000 to 001."""
    if (
        re.fullmatch(r"CPUUTIL\d+", name)
        and (all_of_them := collected.headings.get("CPUUTIL_ALL")) is not None
    ):
        return section_of(name, all_of_them)
    return collected.sections.get(name)


def _add(
    collected: _Collected, line: Line, labels: dict[str, str], cells: list[tuple[Column | None, str]]
) -> None:
    for column, word in cells:
        if column is None or word == "":
            continue
        own = {**column.labels, **labels}
        value = finite(word)
        if value is None and word.strip("+-").lower() not in ("nan", "inf"):
            line.fail(f"expected a number for '{column.metric}', got '{word:.40}'")
        if value is None or word.startswith("-"):
            reason = f"nmon printed '{word}': the kernel does not tell it"
            collected.refused.append(Refused(column.metric, reason, own))
            continue
        first = column.metric in _COUNTED and labels["snapshot"] == "T0001"
        collected.figures.append(
            Figure(
                column.metric, value, column.unit, column.direction, because(FIRST if first else None, own)
            )
        )


def _is_row(cells: list[str]) -> bool:
    place = 2 if cells[0] == "TOP" else 1
    return len(cells) > place and _SNAPSHOT.fullmatch(cells[place]) is not None


def _is_text(cells: list[str]) -> bool:
    return _TEXT.fullmatch(cells[0]) is not None


def _trimmed(cells: list[str]) -> list[str]:
    while cells and not cells[-1].strip():
        cells = cells[:-1]
    return cells
