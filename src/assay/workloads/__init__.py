"""What runs in a trial: definitions of workloads, and pure parsers of what their tools print.

One file a tool, with its command, its metrics and ``parse(output: bytes)``. Nothing here opens a file or
starts a program: sizes come in as arguments, commands go out as argument lists with placeholders.
"""

from assay.workloads.command import command_workload, measure_usage
from assay.workloads.errors import OutputError
from assay.workloads.fill import fill
from assay.workloads.library import (
    ALLOWED,
    ALONE,
    NAMES,
    PARSERS,
    library,
    measure,
    runs_for_a_time,
    with_parameters,
)
from assay.workloads.parameters import Parameters
from assay.workloads.phases import phase_metrics
from assay.workloads.sizes import Sizes

__all__ = [
    "ALLOWED",
    "ALONE",
    "NAMES",
    "PARSERS",
    "OutputError",
    "Parameters",
    "Sizes",
    "command_workload",
    "fill",
    "library",
    "measure",
    "measure_usage",
    "phase_metrics",
    "runs_for_a_time",
    "with_parameters",
]
