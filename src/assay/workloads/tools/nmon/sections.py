"""What the columns of nmon's sections mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.model.metric import Direction
from assay.workloads.outputs.numbered import slug

LOWER = Direction.LOWER
_WORSE = frozenset({"cpu_steal", "cpu_wait", "proc_blocked", "vm_pgmajfault", "top_iowaittime"})
_DISKS = {
    "DISKBUSY": "%", "DISKREAD": "KB/s", "DISKWRITE": "KB/s", "DISKXFER": "1/s", "DISKBSIZE": "KB",
    "DISKREADS": "1/s", "DISKWRITES": "1/s", "DGBUSY": "%", "DGREAD": "KB/s", "DGWRITE": "KB/s",
    "DGSIZE": "KB", "DGXFER": "1/s", "DGREADS": "1/s", "DGREADMERGE": "1/s", "DGREADSERV": "ms",
    "DGWRITES": "1/s", "DGWRITEMERGE": "1/s", "DGWRITESERV": "ms", "DGINFLIGHT": "1", "DGBACKLOG": "ms",
}  # fmt: skip
"""Sections with a column for each disk or disk group, and their unit."""
_NET = re.compile(r"(.+)-(read|write)(?:-KB)?/s")
_TOP_UNITS = {
    "%CPU": "%", "%Usr": "%", "%Sys": "%", "Size": "KB", "ResSet": "KB", "ResText": "KB", "ResData": "KB",
    "ShdLib": "KB", "MinorFault": "1/s", "MajorFault": "1/s", "Threads": "1", "IOwaitTime": "1",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column: its metric and what tells it from others of that metric."""

    metric: str
    unit: str
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def direction(self) -> Direction | None:
        """Which way is better; of most of what a machine does it is neither."""
        return LOWER if self.metric in _WORSE else None


def _unlabelled(words: Sequence[str]) -> dict[str, str]:
    del words
    return {}


@dataclass(frozen=True)
class Section:
    """A section's columns; ``None`` among them is text.

    Attributes:
        columns: In the order of its cells.
        labels: Of a row, from its cells.
        optional: Cells at the end that older versions, or a quiet machine, leave out.
    """

    columns: tuple[Column | None, ...]
    labels: Callable[[Sequence[str]], dict[str, str]] = _unlabelled
    optional: int = 0


def section_of(name: str, headings: tuple[str, ...]) -> Section:
    """Return what a section's columns are, by its name and heading."""
    name = re.sub(r"(?<=[A-Z])\d{1,2}$", "", name) if re.match(r"DISK|JFS", name) else name  # further disks
    if (cpu := re.fullmatch(r"S?(CPU)(UTIL)?_?(ALL|\d+)", name)) is not None:
        kind = "cpuutil" if cpu[2] else "cpu"
        columns = tuple(
            Column(f"{kind}_{slug(word)}", "1" if word == "CPUs" else "%", {"cpu": cpu[3]})
            for word in headings
        )
        return Section(columns)
    if name in _DISKS:
        key = "group" if name.startswith("DG") else "disk"
        return Section(tuple(Column(slug(name), _DISKS[name], {key: word}) for word in headings))
    if name in ("NET", "NETPACKET"):
        return Section(tuple(_interface(name, word) for word in headings))
    if name == "MHZ":
        return Section(tuple(Column("mhz", "MHz", {"cpu": word.removeprefix("CPU")}) for word in headings))
    if name == "JFSFILE":
        return Section(tuple(Column("jfsfile", "%", {"filesystem": word}) for word in headings))
    return Section(tuple(Column(f"{slug(name)}_{slug(word)}", _unit(name, word)) for word in headings))


def _interface(section: str, heading: str) -> Column:
    if (match := _NET.fullmatch(heading)) is None:
        return Column(f"{slug(section)}_{slug(heading)}", "1")
    unit = "KB/s" if section == "NET" else "1/s"
    return Column(f"{slug(section)}_{match[2]}", unit, {"interface": match[1]})


def _unit(section: str, heading: str) -> str:
    if section == "MEM":
        return "MB"
    if section == "PROC" and heading not in ("Runnable", "Blocked"):
        return "1/s"
    return "%" if heading.endswith("%") else "1"


def process_section(headings: tuple[str, ...]) -> Section:
    """Return the columns of the busiest processes: number, snapshot and command of each are labels."""
    text = ("+PID", "PID", "Time", "Command")
    columns = tuple(
        None if word in text else Column(f"top_{slug(word)}", _TOP_UNITS.get(word, "1")) for word in headings
    )
    command = headings.index("Command") if "Command" in headings else None

    def labels(words: Sequence[str]) -> dict[str, str]:
        reported = {"pid": str(int(words[0])) if re.fullmatch("[0-9]{1,18}", words[0]) else words[0]}
        return (
            reported if command is None or command >= len(words) else reported | {"command": words[command]}
        )

    return Section(columns, labels, optional=2)
