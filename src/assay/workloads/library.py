"""What a workload yields: the figures of a run, by the tool that it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.model.doubt import Raised
from assay.model.metric import Measurement
from assay.model.work.workload import Workload
from assay.workloads.accounting import measure_accounting
from assay.workloads.catalogue import READERS, WORKLOADS, measured_by
from assay.workloads.command import USAGE, measure_usage
from assay.workloads.copies import together
from assay.workloads.outputs.remarks import read_past
from assay.workloads.parameters import Parameters
from assay.workloads.phases import measure_phases
from assay.workloads.readings.figures import unknown_lines
from assay.workloads.saved_outputs import read_output
from assay.workloads.sizes import Sizes
from assay.workloads.tool import ReadyWorkload

if TYPE_CHECKING:
    from assay.model.trial import Usage
    from assay.model.work.phase import PhaseTime


def reads_errors(workload: Workload) -> bool:
    """Tell whether what reads a workload's figures takes its standard error, too."""
    found = measured_by(workload.parser)
    tool = workload.reader if found is None else found.reader or workload.reader
    return tool is not None and READERS[tool].reads_errors


def streams_read(workload: Workload) -> tuple[bool, bool]:
    """Tell whether figures or success are read from a workload's standard output, and from its standard
    error.
    """
    success = workload.success
    lines = success is not None and success.log is None and (success.pattern or success.absent) is not None
    parsed = measured_by(workload.parser) is not None
    own = any(reading.file is None for reading in workload.readings)
    return parsed or own or lines, reads_errors(workload) or lines


def runs_for_a_time(workload: Workload) -> bool:
    """Tell whether a workload works for a given time, so that only its rates tell how much it did."""
    found = measured_by(workload.parser)
    return found is not None and "runtime" in found.parameters


def library(sizes: Sizes) -> dict[str, Workload]:
    """Return every ready workload, sized for the arms."""
    return {name: WORKLOADS[name].make(sizes, Parameters()) for name in WORKLOADS}


def with_parameters(name: str, given: Parameters, *, sizes: Sizes) -> Workload:
    """Return a ready workload with some of its parameters given.

    Raises:
        UnknownNameError: no ready workload of that name.
        MissingError: none, and a plug-in that may bring it cannot be loaded.
    """
    return WORKLOADS[name].make(sizes, given)


def measure(
    workload: Workload,
    *,
    outputs: Sequence[bytes],
    usage: Usage,
    phases: Sequence[PhaseTime] = (),
    own: Sequence[Measurement] = (),
    processors: int = 1,
) -> tuple[Measurement, ...]:
    """Return the figures of one run of a workload, those of its phases and of its accounting last.

    Args:
        workload: What ran, and ended well.
        outputs: Standard output of each copy, behind its standard error where the parser reads it
            (``reads_errors``).
        usage: Resource totals of the whole job.
        phases: Phases of all copies, as they were told.
        own: What the readings of a user's own program found (``read_figures``).
        processors: That it could use; asked of its efficiency alone.

    Raises:
        OutputError: the output does not say what was to be measured.
        UnknownNameError: it was planned with a plug-in that is gone.
    """
    figures = (*_figures(workload, outputs, usage), *own)
    names = {figure.metric.name for figure in figures}
    reported = measure_phases(workload.phases, phases, copies=workload.placement.copies)
    told = (figure for figure in reported if figure.metric.name not in names)
    return (*figures, *told, *measure_accounting(workload, usage, processors))


def _figures(workload: Workload, outputs: Sequence[bytes], usage: Usage) -> tuple[Measurement, ...]:
    if workload.parser == USAGE:
        return measure_usage(usage)
    tool = WORKLOADS[workload.parser]
    if tool.measure is not None:
        return tool.measure(workload, outputs, usage)
    result_digest(workload, outputs)  # copies that came to another result have measured other work
    totals = measure_usage(usage) if tool.usage else ()
    return (*together([_read(tool, output)[0] for output in outputs]), *totals)


def tells_usage(workload: Workload) -> bool:
    """Tell whether the wall time and CPU time of the whole job are figures of a workload, as of a
    user's own.
    """
    found = measured_by(workload.parser)
    return workload.parser == USAGE or (found is not None and found.usage)


def tells_result(workload: Workload) -> bool:
    """Tell whether a workload tells of what it computed, so that one trial can be held against another."""
    found = measured_by(workload.parser)
    return found is not None and found.digest is not None


def result_digest(workload: Workload, outputs: Sequence[bytes]) -> str | None:
    """Return the digest of what the copies of a job computed; ``None`` where a workload tells of none.

    Raises:
        OutputError: it should tell and does not, or its copies differ.
    """
    found = measured_by(workload.parser)
    return None if found is None or found.digest is None else found.digest(outputs)


def output_doubts(workload: Workload, outputs: Sequence[bytes]) -> tuple[Raised, ...]:
    """Return the doubts about lines of a ready workload's outputs that its parser does not know.

    Args:
        workload: What ran, and has figures.
        outputs: Of each copy, as ``measure`` takes them.
    """
    tool = measured_by(workload.parser)
    if tool is None or tool.parse is None:
        return ()
    passed = (_remarks(tool, output) for output in outputs)
    doubts = (unknown_lines(workload.program or workload.name, remarks) for remarks in passed if remarks)
    return tuple(dict.fromkeys(doubts))


def _remarks(tool: ReadyWorkload, output: bytes) -> tuple[str, ...]:
    """Return the lines that are not known; a tool's own warnings are told by its reader alone."""
    return read_output(tool.reader, output).remarks if tool.reader is not None else _read(tool, output)[1]


def _read(tool: ReadyWorkload, output: bytes) -> tuple[tuple[Measurement, ...], tuple[str, ...]]:
    """Return the figures of what one copy printed, and the lines that are not known."""
    return ((), ()) if tool.parse is None else read_past(tool.parse, output)
