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
    ONE_JOB,
    PARSERS,
    library,
    measure,
    output_doubts,
    reads_errors,
    result_digest,
    runs_for_a_time,
    streams_read,
    tells_result,
    tells_usage,
    title,
    with_parameters,
)
from assay.workloads.on_disk import disk_bytes
from assay.workloads.parameters import Parameters
from assay.workloads.phases import phase_metrics
from assay.workloads.readings import ReadFigures, ReadingError, Wrote, exit_is_good, read_figures, unmet
from assay.workloads.sizes import Sizes
from assay.workloads.tools.kernels.transactions import SERVED, connects, needs_echo

__all__ = [
    "ALLOWED",
    "ALONE",
    "NAMES",
    "ONE_JOB",
    "PARSERS",
    "SERVED",
    "OutputError",
    "Parameters",
    "ReadFigures",
    "ReadingError",
    "Sizes",
    "Wrote",
    "command_workload",
    "connects",
    "disk_bytes",
    "exit_is_good",
    "fill",
    "library",
    "measure",
    "measure_usage",
    "needs_echo",
    "output_doubts",
    "phase_metrics",
    "read_figures",
    "reads_errors",
    "result_digest",
    "runs_for_a_time",
    "streams_read",
    "tells_result",
    "tells_usage",
    "title",
    "unmet",
    "with_parameters",
]
