"""The ready workloads by name, and the parsers of their output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assay.model.doubt import Raised
from assay.model.errors import UnknownNameError
from assay.model.metric import Measurement
from assay.model.work.workload import Workload
from assay.workloads.command import USAGE, measure_usage
from assay.workloads.copies import together
from assay.workloads.outputs.remarks import read_past
from assay.workloads.parameters import Parameters
from assay.workloads.phases import measure_phases
from assay.workloads.readings.figures import unknown_lines
from assay.workloads.registry import SAYS_ON_ERRORS, read_output
from assay.workloads.sizes import Sizes
from assay.workloads.titles import title_of
from assay.workloads.tools.bonnie import definition as bonnie
from assay.workloads.tools.chain import definition as chain
from assay.workloads.tools.data_read import definition as data_read
from assay.workloads.tools.db12 import definition as db12
from assay.workloads.tools.fio import definition as fio
from assay.workloads.tools.geant4 import definition as geant4
from assay.workloads.tools.hep import definition as hep_workload
from assay.workloads.tools.iozone import by_fio as iozone_by_fio
from assay.workloads.tools.iozone import definition as iozone
from assay.workloads.tools.iperf3 import definition as iperf3
from assay.workloads.tools.kernels import definition as kernels
from assay.workloads.tools.kernels import flops, stream, transactions
from assay.workloads.tools.netperf import definition as netperf
from assay.workloads.tools.root_analysis import definition as root_analysis
from assay.workloads.tools.stress_ng import definition as stress_ng
from assay.workloads.tools.sysbench import definition as sysbench
from assay.workloads.tools.sysbench import files as sysbench_fileio
from assay.workloads.tools.sysbench import more as sysbench_more

if TYPE_CHECKING:
    from assay.model.trial import Usage
    from assay.model.work.phase import PhaseTime

_MAKERS: dict[str, Callable[[Sizes, Parameters], Workload]] = {
    "sysbench-cpu": sysbench.workload,
    "flops": flops.workload,
    "stream": stream.workload,
    "fio": fio.workload,
    "iperf3": iperf3.workload,
    "iperf3-reverse": iperf3.reverse_workload,
    **kernels.makers(),
    "data-read": data_read.workload,
    "iozone": iozone.workload,
    "iozone-by-fio": iozone_by_fio.workload,
    "bonnie++": bonnie.workload,
    **netperf.makers(),
    **transactions.makers(),
    "iperf3-udp": iperf3.udp_workload,
    **sysbench_more.makers(),
    sysbench_fileio.NAME: sysbench_fileio.workload,
    **stress_ng.makers(),
    "db12": db12.workload,
    hep_workload.NAME: hep_workload.workload,
    **chain.makers(),
    **root_analysis.makers(),
    **geant4.makers(),
}

NAMES: tuple[str, ...] = tuple(_MAKERS)
"""Names of the ready workloads, in the order shown."""

ALLOWED: dict[str, tuple[str, ...]] = {
    "sysbench-cpu": ("runtime",),
    "flops": ("runtime",),
    "stream": (),
    "fio": ("runtime", "size"),
    "iperf3": ("runtime",),
    "iperf3-reverse": ("runtime",),
    **kernels.ALLOWED,
    "data-read": (),
    "iozone": ("size", "record"),
    "iozone-by-fio": ("size", "record"),
    "bonnie++": ("size", "record"),
    **dict.fromkeys(netperf.NAMES, ("runtime",)),
    **dict.fromkeys(transactions.NAMES, ("runtime",)),
    "iperf3-udp": ("runtime",),
    **dict.fromkeys(sysbench_more.makers(), ("runtime",)),
    sysbench_fileio.NAME: ("runtime", "size"),
    **dict.fromkeys(stress_ng.makers(), ("runtime",)),
    "db12": (),
    hep_workload.NAME: ("image", "score", "engine", "threads", "copies", "events", "arguments"),
    **chain.ALLOWED,
    **dict.fromkeys(root_analysis.makers(), ()),
    **geant4.ALLOWED,
}
"""Parameters that a scene may give to each."""

ALONE = frozenset({"iperf3", "iperf3-reverse", "iperf3-udp"})
"""Of these only one copy can run: the server talks to one client at a time."""

ONE_JOB = frozenset(root_analysis.makers())
"""All copies of these on one machine are one job over the whole data: guests cannot share it."""

PARSERS: dict[str, Callable[[bytes], tuple[Measurement, ...]]] = {
    "sysbench-cpu": sysbench.parse,
    "flops": flops.parse,
    "stream": stream.parse,
    "fio": fio.parse,
    "iperf3": iperf3.parse,
    **kernels.parsers(),
    "iozone": iozone.parse,
    "iozone-by-fio": iozone_by_fio.parse,
    "bonnie++": bonnie.parse,
    **netperf.parsers(),
    **transactions.parsers(),
    **sysbench_more.parsers(),
    sysbench_fileio.NAME: sysbench_fileio.parse,
    **stress_ng.parsers(),
    "db12": db12.parse,
    hep_workload.NAME: hep_workload.parse,
    **chain.parsers(),
    **geant4.parsers(),
}
"""Parsers of standard output by name; the name ``usage`` is not among them (``measure_usage``)."""


def reads_errors(workload: Workload) -> bool:
    """Tell whether what reads a workload's figures takes its standard error, too."""
    return workload.parser in stress_ng.makers() or workload.reader in SAYS_ON_ERRORS


def streams_read(workload: Workload) -> tuple[bool, bool]:
    """Tell whether figures or success are read from a workload's standard output, and from its standard error."""
    success = workload.success
    lines = success is not None and success.log is None and (success.pattern or success.absent) is not None
    parsed = workload.parser in PARSERS or workload.parser == root_analysis.NAME
    own = any(reading.file is None for reading in workload.readings)
    return parsed or own or lines, reads_errors(workload) or lines


def runs_for_a_time(workload: Workload) -> bool:
    """Tell whether a workload works for a given time, so that only its rates tell how much it did."""
    return "runtime" in ALLOWED.get(workload.parser, ())


def library(sizes: Sizes) -> dict[str, Workload]:
    """Return every ready workload, sized for the arms."""
    return {name: with_parameters(name, Parameters(), sizes=sizes) for name in NAMES}


def with_parameters(name: str, given: Parameters, *, sizes: Sizes) -> Workload:
    """Return a ready workload with some of its parameters given.

    Raises:
        UnknownNameError: no ready workload of that name.
    """
    if name not in _MAKERS:
        kind = "workload"
        raise UnknownNameError(kind, name, NAMES)
    return _MAKERS[name](sizes, given)


def title(name: str) -> str:
    """Return what a ready workload measures, one line.

    Raises:
        UnknownNameError: no ready workload of that name.
    """
    if name not in _MAKERS:
        kind = "workload"
        raise UnknownNameError(kind, name, NAMES, hint="assay workload list")
    return title_of(name, _MAKERS[name])


def measure(
    workload: Workload,
    *,
    outputs: Sequence[bytes],
    usage: Usage,
    phases: Sequence[PhaseTime] = (),
    own: Sequence[Measurement] = (),
) -> tuple[Measurement, ...]:
    """Return the figures of one run of a workload, those of its phases last.

    Args:
        workload: What ran, and ended well.
        outputs: Standard output of each copy, behind its standard error where the parser reads it (``reads_errors``).
        usage: Resource totals of the whole job.
        phases: Phases of all copies, as they were told.
        own: What the readings of a user's own program found (``read_figures``).

    Raises:
        OutputError: the output does not say what was to be measured.
    """
    figures = (*_figures(workload, outputs, usage), *own)
    names = {figure.metric.name for figure in figures}
    reported = measure_phases(workload.phases, phases, copies=workload.placement.copies)
    return (*figures, *(figure for figure in reported if figure.metric.name not in names))


def _figures(workload: Workload, outputs: Sequence[bytes], usage: Usage) -> tuple[Measurement, ...]:
    if workload.parser == USAGE:
        return measure_usage(usage)
    if workload.parser == data_read.NAME:
        return data_read.measure(workload, usage)
    if workload.parser == root_analysis.NAME:
        return root_analysis.measure(outputs, usage)
    result_digest(workload, outputs)  # copies that came to another result have measured other work
    totals = measure_usage(usage) if tells_usage(workload) else ()
    return (*_parse_copies(workload.parser, outputs), *totals)


def tells_usage(workload: Workload) -> bool:
    """Tell whether the wall time and CPU time of the whole job are figures of a workload, as of a user's own."""
    return workload.parser in {USAGE, data_read.NAME, root_analysis.NAME, *chain.NAMES, *geant4.NAMES}


def tells_result(workload: Workload) -> bool:
    """Tell whether a workload tells of what it computed, so that one trial can be held against another."""
    return workload.parser in {*chain.NAMES, *geant4.NAMES}


def result_digest(workload: Workload, outputs: Sequence[bytes]) -> str | None:
    """Return the digest of what the copies of a job computed; ``None`` where a workload tells of none.

    Raises:
        OutputError: it should tell and does not, or its copies differ.
    """
    if not tells_result(workload):
        return None
    reported = geant4.digest if workload.parser in geant4.NAMES else chain.digest
    return reported(workload.parser, outputs)


def _parse_copies(parser: str, outputs: Sequence[bytes]) -> tuple[Measurement, ...]:
    return together([read_past(PARSERS[parser], output)[0] for output in outputs])


def output_doubts(workload: Workload, outputs: Sequence[bytes]) -> tuple[Raised, ...]:
    """Return the doubts about lines of a ready workload's outputs that its parser does not know.

    Args:
        workload: What ran, and has figures.
        outputs: Of each copy, as ``measure`` takes them.
    """
    if workload.parser not in PARSERS:
        return ()
    passed = (_remarks(workload.parser, output) for output in outputs)
    doubts = (unknown_lines(workload.program or workload.name, remarks) for remarks in passed if remarks)
    return tuple(dict.fromkeys(doubts))


def _remarks(parser: str, output: bytes) -> tuple[str, ...]:
    """Return the lines that are not known; stress-ng's own warnings are told by its reader alone."""
    if parser in stress_ng.makers():
        return read_output(stress_ng.TOOL, output).remarks
    return read_past(PARSERS[parser], output)[1]
