"""The ready workloads by name, and the parsers of their output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.model.errors import UnknownNameError
from assay.model.metric import Measurement
from assay.model.phase import PhaseTime
from assay.model.trial import Usage
from assay.model.workload import Workload
from assay.workloads import data_read, fio, flops, iperf3, kernels, stream, sysbench
from assay.workloads.command import USAGE, measure_usage
from assay.workloads.copies import together
from assay.workloads.parameters import Parameters
from assay.workloads.phases import measure_phases
from assay.workloads.sizes import Sizes

_MAKERS: dict[str, Callable[[Sizes, Parameters], Workload]] = {
    "sysbench-cpu": sysbench.workload,
    "flops": flops.workload,
    "stream": stream.workload,
    "fio": fio.workload,
    "iperf3": iperf3.workload,
    "iperf3-reverse": iperf3.reverse_workload,
    **kernels.makers(),
    "data-read": data_read.workload,
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
}
"""Parameters that a scene may give to each."""

ALONE = frozenset({"iperf3", "iperf3-reverse"})
"""Of these only one copy can run: the server talks to one client at a time."""

PARSERS: dict[str, Callable[[bytes], tuple[Measurement, ...]]] = {
    "sysbench-cpu": sysbench.parse,
    "flops": flops.parse,
    "stream": stream.parse,
    "fio": fio.parse,
    "iperf3": iperf3.parse,
    **kernels.parsers(),
}
"""Parsers of standard output by name; the name ``usage`` is not among them (``measure_usage``)."""


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


def measure(
    workload: Workload, *, outputs: Sequence[bytes], usage: Usage, phases: Sequence[PhaseTime] = ()
) -> tuple[Measurement, ...]:
    """Return the figures of one run of a workload, those of its phases last.

    Args:
        workload: What ran, and ended well.
        outputs: Standard output of each copy.
        usage: Resource totals of the whole job.
        phases: Phases of all copies, as they were told.

    Raises:
        OutputError: the output does not say what was to be measured.
    """
    figures = _figures(workload, outputs, usage)
    names = {figure.metric.name for figure in figures}
    told = measure_phases(workload.phases, phases, copies=workload.placement.copies)
    return (*figures, *(figure for figure in told if figure.metric.name not in names))


def _figures(workload: Workload, outputs: Sequence[bytes], usage: Usage) -> tuple[Measurement, ...]:
    if workload.parser == USAGE:
        return measure_usage(usage)
    if workload.parser == data_read.NAME:
        return data_read.measure(workload, usage)
    return _parse_copies(workload.parser, outputs)


def _parse_copies(parser: str, outputs: Sequence[bytes]) -> tuple[Measurement, ...]:
    return together([PARSERS[parser](output) for output in outputs])
