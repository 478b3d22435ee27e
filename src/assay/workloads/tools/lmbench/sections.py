"""Sections of lmbench: a title, and rows of a size or a number with what was measured at it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.tools.lmbench.forms import HIGHER, LOWER, metric_name

_CONTEXT = re.compile(r'"size=(\d+k?) ovr=(-?\d+(?:\.\d+)?)\s*$')
_STRIDE = re.compile(r'"stride=(\d+)\s*$')
_DISK = re.compile(r'"(Seek times|Zone bandwidth) for (.+)$')
_SOCKET = re.compile(r"Socket bandwidth using ([^:]+)$")
_TITLES = re.compile(
    r'"?(mappings|(?:Mmap )?read (?:open2close )?bandwidth|File system latency'
    r"|(?:libc|unrolled|unrolled partial) bcopy (?:un)?aligned|Memory (?:bzero|(?:partial "
    r")?(?:read|write|read/write)) bandwidth"
    r"|Memory load (?:parallelism|latency)|Random load latency)\s*$"
)
_FILES = re.compile(r"(\d+k)\t(\d+)\t(\d+(?:\.\d+)?)\t(\d+(?:\.\d+)?)\s*$")
_RATED = re.compile(r"(\d+\.\d+) (\d+(?:\.\d+)?) MB/sec\s*$")
_PAIR = re.compile(r"(\d+(?:\.\d+)?) (\d+(?:\.\d+)?)\s*$")
_MMAP_PAIR = re.compile(r"\d+\.\d{6} (\d+|\d+\.\d{3})\s*$")
"""As ``lat_mmap`` prints it: its size to six places, its microseconds to none or three."""

_LEAST_BANDWIDTH = 100.0
"""MB/s: ``par_mem`` prints pairs like those of ``bw_mem``, but no memory serves a hundred loads at once, and
none is so slow. What lies below and has no title is not known.
"""


@dataclass(frozen=True)
class Section:
    """What the rows below a title are; without a title what ``bw_mem`` or ``lat_mmap`` alone print.

    Attributes:
        metric: Of a row's second number; empty where the row's form tells.
        unit: Of it.
        direction: Of it.
        key: Label of a row's first number.
        labels: Of all rows.
        reported: Figures of the title itself.
    """

    metric: str = ""
    unit: str = "MB/s"
    direction: Direction | None = HIGHER
    key: str = "size_mb"
    labels: Mapping[str, str] = field(default_factory=dict)
    reported: tuple[Figure, ...] = ()

    def row(self, line: str) -> list[Figure] | None:
        """Return the figures of a row; ``None`` where it is none."""
        if match := _FILES.match(line):
            size = {"size": match[1]}
            return [
                Figure("files", float(match[2]), "1", None, size),
                Figure("file_creations", float(match[3]), "1/s", HIGHER, size),
                Figure("file_deletions", float(match[4]), "1/s", HIGHER, size),
            ]
        if match := _RATED.match(line):
            rated = self.metric or "bandwidth"
            return [Figure(rated, float(match[2]), "MB/s", HIGHER, {**self.labels, "message_mb": match[1]})]
        if (match := _PAIR.match(line)) is None:
            return None
        labels = {**self.labels, self.key: match[1]}
        if not self.metric and _MMAP_PAIR.match(line):
            return [Figure("mappings", float(match[2]), "us", LOWER, labels)]
        if not self.metric and float(match[2]) < _LEAST_BANDWIDTH:
            return None
        return [Figure(self.metric or "bandwidth", float(match[2]), self.unit, self.direction, labels)]


def section_of(line: str, before: Section | None) -> Section | None:
    """Return the section that a line begins; ``None`` where it is no title.

    Args:
        line: The line.
        before: The section so far: below the title of loads in order or at random come those of strides.
    """
    if match := _CONTEXT.match(line):
        size = {"size": match[1]}
        overhead = Figure("context_switch_overhead", float(match[2]), "us", LOWER, size)
        return Section("context_switch", "us", LOWER, "processes", size, (overhead,))
    if match := _STRIDE.match(line):
        metric = (
            before.metric if before is not None and before.metric.endswith("load_latency") else "load_latency"
        )
        return Section(metric, "ns", LOWER, "size_mb", {"stride": match[1]})
    return _named(line)


def _named(line: str) -> Section | None:
    if match := _DISK.match(line):
        labels = {"disk": match[2].strip()}
        if match[1] == "Seek times":
            return Section("seek_time", "ms", LOWER, "distance_mb", labels)
        return Section("zone_bandwidth", "MB/s", HIGHER, "place_mb", labels)
    if match := _SOCKET.match(line):
        return Section("socket_bandwidth", labels={"host": match[1].strip()})
    match = _TITLES.match(line)
    return _titled(metric_name(match[1])) if match is not None else None


def _titled(metric: str) -> Section:
    if metric == "mappings":
        return Section(metric, "us", LOWER)
    if metric.endswith("load_latency"):
        return Section(metric, "ns", LOWER)
    if metric == "memory_load_parallelism":
        return Section(metric, "1")
    return Section(metric)
