"""What runs in a trial: tools with their workloads, and pure parsers of what they print.

One folder a tool (``tools``), each one value: ``Tool``. Nothing here opens a file or starts a program: sizes
come in as arguments, commands go out as argument lists with placeholders.
"""

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.server import Server
from assay.model.work.tool_output import Figure, ToolOutput
from assay.model.work.workload import Workload
from assay.workloads.accounting import measure_accounting, with_accounting
from assay.workloads.catalogue import (
    READERS,
    SERVERS,
    WORKLOADS,
    measured_by,
    most_clients,
    server_of,
)
from assay.workloads.command import command_workload, measure_usage
from assay.workloads.errors import OutputError
from assay.workloads.fill import fill
from assay.workloads.library import (
    library,
    measure,
    output_doubts,
    reads_errors,
    result_digest,
    runs_for_a_time,
    streams_read,
    tells_result,
    tells_usage,
    with_parameters,
)
from assay.workloads.on_disk import disk_bytes, prepared_bytes
from assay.workloads.parameters import Parameters
from assay.workloads.phases import phase_metrics
from assay.workloads.readings import ReadFigures, ReadingError, Wrote, exit_is_good, read_figures, unmet
from assay.workloads.saved_outputs import read_output
from assay.workloads.sizes import Sizes
from assay.workloads.tool import DiskUse, OutputReader, ReadyWorkload, Stream, Tool, Work

__all__ = [
    "READERS",
    "SERVERS",
    "WORKLOADS",
    "Direction",
    "DiskUse",
    "Figure",
    "Measurement",
    "Metric",
    "OutputError",
    "OutputReader",
    "Parameters",
    "ReadFigures",
    "ReadingError",
    "ReadyWorkload",
    "Server",
    "Sizes",
    "Stream",
    "Tool",
    "ToolOutput",
    "Work",
    "Workload",
    "Wrote",
    "command_workload",
    "disk_bytes",
    "exit_is_good",
    "fill",
    "library",
    "measure",
    "measure_accounting",
    "measure_usage",
    "measured_by",
    "most_clients",
    "output_doubts",
    "phase_metrics",
    "prepared_bytes",
    "read_figures",
    "read_output",
    "reads_errors",
    "result_digest",
    "runs_for_a_time",
    "server_of",
    "streams_read",
    "tells_result",
    "tells_usage",
    "unmet",
    "with_accounting",
    "with_parameters",
]
