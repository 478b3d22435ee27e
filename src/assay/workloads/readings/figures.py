"""Every figure of a user's own program, of all its copies together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.model.doubt import Raised, raised
from assay.model.metric import Measurement
from assay.model.work.reading import Reading
from assay.model.work.tool_output import ToolOutput
from assay.model.work.workload import Workload
from assay.workloads.catalogue import READERS, measured_by
from assay.workloads.copies import together
from assay.workloads.readings.errors import ReadingError
from assay.workloads.readings.file_sizes import sizes_of
from assay.workloads.readings.pattern import by_pattern
from assay.workloads.readings.pointer import by_pointer
from assay.workloads.readings.selection import by_figure, why_not_comparable, why_refused
from assay.workloads.readings.wrote import Wrote, place_of
from assay.workloads.saved_outputs import read_output


@dataclass(frozen=True)
class ReadFigures:
    """What was read.

    Attributes:
        figures: Each once, in the order of the readings: rates of copies summed, times averaged.
        doubts: What a tool says against its own figures, and lines of it that are not known.
        open_end: Where an output was read of which nothing marks the end; ``None`` where none was.
        file_bytes: Size of the file that all figures are of; ``None`` where none is told, or several.
    """

    figures: tuple[Measurement, ...] = ()
    doubts: tuple[Raised, ...] = ()
    open_end: str | None = None
    file_bytes: int | None = None


def read_figures(workload: Workload, copies: Sequence[Wrote]) -> ReadFigures:
    """Return the figures that a workload's readings say.

    Args:
        workload: What ran, and ended well.
        copies: What each of its copies wrote, at least one.

    Raises:
        ReadingError: a copy did not write one of them.
        OutputError: a copy's output is not the tool's, or has a line that is not known.
    """
    if not workload.readings:
        return ReadFigures()
    each = [_Copy(workload, wrote, _name(number, len(copies))) for number, wrote in enumerate(copies)]
    figures = together([tuple(map(copy.measure, workload.readings)) for copy in each])
    doubts = dict.fromkeys(doubt for copy in each for doubt in copy.doubts())
    sizes = set[int]().union(*(copy.sizes() for copy in each))
    size = next(iter(sizes)) if len(sizes) == 1 else None
    return ReadFigures(
        figures, tuple(doubts), next((place for copy in each for place in copy.open_ends()), None), size
    )


def _name(number: int, copies: int) -> str:
    return f" of copy {number}" if copies > 1 else ""


class _Copy:
    """One copy: each of its files is read by the tool's reader once."""

    def __init__(self, workload: Workload, wrote: Wrote, name: str) -> None:
        self._workload, self._wrote, self._name = workload, wrote, name
        self._outputs: dict[str | None, ToolOutput] = {}

    def measure(self, reading: Reading) -> Measurement:
        place = f"{place_of(reading.file)}{self._name}"
        try:
            return Measurement(reading.metric, self._value(reading))
        except ValueError as error:
            raise ReadingError(reading.metric.name, place, str(error)) from error

    def doubts(self) -> Iterator[Raised]:
        """Yield what the tool says against figures that were read."""
        for reading in self._workload.readings:
            if reading.figure is None:
                continue
            output, name = self._output(reading), reading.metric.name
            if (reason := why_refused(output, reading)) is not None:
                yield raised("no-figure", tool=output.tool, metric=name, reason=reason)
            elif (reason := why_not_comparable(output, reading)) is not None:
                yield raised("not-comparable", metric=name, reason=reason)

        for output in self._outputs.values():
            if output.remarks:
                yield unknown_lines(output.tool, output.remarks)

    def sizes(self) -> set[int]:
        """Return the sizes of files that tools tell of the figures that were read."""
        figures = [reading.figure for reading in self._workload.readings if reading.figure is not None]
        return set[int]().union(*(sizes_of(output, figures) for output in self._outputs.values()))

    def open_ends(self) -> Iterator[str]:
        """Yield the places of what was read of which nothing marks the end: lines may be cut off there."""
        for file, output in self._outputs.items():
            if output.open_end:
                yield f"{place_of(file)}{self._name}"
        for reading in self._workload.readings:
            if reading.pattern is not None and not self._text(reading).endswith(b"\n"):
                yield f"{place_of(reading.file)}{self._name}"

    def _value(self, reading: Reading) -> float | None:
        if reading.pattern is not None:
            return by_pattern(self._text(reading), reading.pattern, reading.of)
        if reading.pointer is not None:
            return by_pointer(self._text(reading), reading.pointer)
        return by_figure(self._output(reading), reading)

    def _output(self, reading: Reading) -> ToolOutput:
        if reading.file not in self._outputs:
            tool = self._workload.reader or ""
            both = reading.file is None and READERS[tool].reads_errors
            text = self._wrote.combined if both else self._text(reading)
            output, ready = read_output(tool, text), measured_by(self._workload.parser)
            asked = None if ready is None else ready.as_asked
            self._outputs[reading.file] = output if asked is None else asked(self._workload, output)
        return self._outputs[reading.file]

    def _text(self, reading: Reading) -> bytes:
        return self._wrote.text(reading.file, metric=reading.metric.name)


def unknown_lines(tool: str, remarks: Sequence[str]) -> Raised:
    """Return the doubt about lines of an output that its reader does not know."""
    return raised("unknown-line", tool=tool, line=remarks[0], lines=len(remarks))
