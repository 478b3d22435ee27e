"""stress-ng: four of its stressors, and the reader of its outputs."""

from __future__ import annotations

from functools import partial

from assay.workloads.tool import OutputReader, ReadyWorkload, Tool
from assay.workloads.tools.stress_ng import definition

_DOES = {
    "cpu": "all its methods of arithmetic in turn",
    "vm": "64 MiB a processor written and checked, mapped anew",
    "switch": "context switches between two processes by a pipe",
    "fault": "page faults of fresh memory and of a file",
}

STRESS_NG = Tool(
    "stress-ng",
    workloads=tuple(
        ReadyWorkload(
            f"stress-ng-{stressor}",
            f"Bogo operations by stress-ng: {does}.",
            partial(definition.workload, stressor),
            partial(definition.parse, stressor),
            parameters=("runtime",),
            reader="stress-ng",
        )
        for stressor, does in _DOES.items()
    ),
    readers=(
        OutputReader(
            "stress-ng",
            "its log (--metrics, --metrics-brief, --perf, --times) and its YAML file.",
            "assay.workloads.tools.stress_ng.reader",
            reads_errors=True,
        ),
    ),
)
