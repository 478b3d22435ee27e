"""IOzone's throughput mode (``-t``): what the children saw together, what the parent saw, least, most,
average.

The parent's time has the start of all children in it, the children's has not: the two differ by up to some
ten times where files are small. Where a child had moved nothing when the first one ended (``-x`` was not
given), they did not run side by side, and the sum of their rates is none of the machine's.
"""

from __future__ import annotations

import re

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.marks import marked
from assay.workloads.tools.iozone.mode import FILE, RECORD, Mode

_NUMBER = r"\s*=\s*(\d+(?:\.\d+)?)\s"
_SEEN = re.compile(
    r"\s*(Children see|Parent sees) throughput "
    rf"for\s+(\d{{1,9}})\s+([^\s=](?:[^=]*[^\s=])?){_NUMBER}+(\S+)/sec\s*$"
)
_EACH = re.compile(rf"\s*(Min|Max|Avg) throughput per (?:process|thread){_NUMBER}+(\S+)/sec\s*$")
_LEAST = re.compile(rf"\s*Min xfer{_NUMBER}+(\S+)\s*$")
_CHILD = re.compile(
    rf"\s*Child\[(\d+)\] xfer count{_NUMBER}+(\S+), Throughput{_NUMBER}+(\S+)/sec"
    r"(?:, wall=\s*(\d+(?:\.\d+)?), cpu=\s*(\d+(?:\.\d+)?), %=\s*(\d+(?:\.\d+)?))?\s*$"
)
_CPU = re.compile(
    r"\s*CPU [uU]tilization: Wall time\s+(\d+(?:\.\d+)?)\s+CPU time\s+(\d+(?:\.\d+)?)\s+CPU "
    r"utilization\s+(\d+(?:\.\d+)?) %\s*$"
)
_EACH_WRITES = re.compile(
    r"\s*Each (?:process|thread) writes a (\d{1,18}) [kK][bB]yte file in (\d{1,18}) [kK][bB]yte records"
)
_OTHER = re.compile(
    r"\s*(Throughput test with|Test running:|Test cleanup:|(Min|Max) (process|thread|processes|threads) = )"
)
_IDLE = "a process had moved nothing when the first had ended: they did not run side by side"
_AMOUNTS = {"kB": "KiB", "KB": "KiB", "kBytes": "KiB"}


class Threads:
    """Figures of the throughput mode, as they come."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._labels: dict[str, str] = {}
        self._sizes: dict[str, str] = {}
        self.figures: list[Figure] = []

    def take(self, number: int, text: str) -> bool:
        """Take a line; return whether it is one of this mode's."""
        del number
        if match := _EACH_WRITES.match(text):
            self._sizes = {FILE: match[1], RECORD: match[2]}
        elif match := _SEEN.match(text):
            self._labels = {"operation": match[3], "processes": match[2], **self._sizes}
            self._rate("children" if match[1].startswith("Children") else "parent", match[4])
        elif match := _EACH.match(text):
            self._rate(match[1].lower(), match[2])
        elif match := _LEAST.match(text):
            self._add("min_xfer", match[1], _AMOUNTS.get(match[2], match[2]), None)
            self._doubt_idle(float(match[1]))
        elif match := _CHILD.match(text):
            self._child(match)
        elif match := _CPU.match(text):
            self._cpu(match.groups())
        else:
            return _OTHER.match(text) is not None
        return True

    def _rate(self, who: str, value: str, more: dict[str, str] | None = None) -> None:
        self._add(f"{who}_throughput", value, self._mode.unit, self._mode.direction, more)

    def _add(
        self,
        metric: str,
        value: str,
        unit: str,
        direction: Direction | None,
        more: dict[str, str] | None = None,
    ) -> None:
        self.figures.append(Figure(metric, float(value), unit, direction, {**self._labels, **(more or {})}))

    def _child(self, match: re.Match[str]) -> None:
        child = {"child": match[1]}
        self._add("child_xfer", match[2], _AMOUNTS.get(match[3], match[3]), None, child)
        self._rate("child", match[4], child)
        if match[6] is not None:
            self._cpu((match[6], match[7], match[8]), child)

    def _cpu(self, values: tuple[str, ...], more: dict[str, str] | None = None) -> None:
        units = (("wall_time", "s"), ("cpu_time", "s"), ("cpu_utilization", "%"))
        for (metric, unit), value in zip(units, values, strict=True):
            self._add(metric, value, unit, Direction.LOWER, more)

    def _doubt_idle(self, least: float) -> None:
        rates = [at for at, figure in enumerate(self.figures) if figure.labels == self._labels]
        if least == 0 and self._labels.get("processes") != "1":
            for at in rates:
                self.figures[at] = marked(self.figures[at], _IDLE)
