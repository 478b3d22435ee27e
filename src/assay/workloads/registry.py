"""The tools whose output can be read; a reader is imported when it is asked for.

Each reader has ``read(output: bytes) -> ToolOutput``, pure and total: it returns what the output says, or raises
``OutputError`` with the line that it does not know. Nothing is guessed; what cannot be compared keeps its value and says
why (``not_comparable``). The ready workloads take their few metrics from the same readers.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from assay.model.errors import UnknownNameError
from assay.model.work.tool_output import ToolOutput
from assay.workloads import tools
from assay.workloads.errors import OutputError
from assay.workloads.outputs.ends import marks_end
from assay.workloads.outputs.remarks import read_past

TOOLS: Mapping[str, str] = MappingProxyType(
    {
        "bonnie++": "bonnie.reader",
        "db12": "db12.reader",
        "fio": "fio.reader",
        "hep-workloads": "hep.workloads",
        "hepscore": "hep.hepscore",
        "hs06": "hep.hs06",
        "hyperfine": "hyperfine.reader",
        "iozone": "iozone.reader",
        "iperf3": "iperf3.reader",
        "lmbench": "lmbench.reader",
        "netperf": "netperf.reader",
        "nmon": "nmon.reader",
        "perf": "perf.reader",
        "prmon": "prmon.reader",
        "stream": "stream.reader",
        "stress-ng": "stress_ng.reader",
        "sysbench": "sysbench.reader",
        "time": "gnu_time.reader",
    }
)
"""Name of the program -> module of ``tools`` that reads its output."""


KNOWS_NO_MEMORY = frozenset({"bonnie++", "iozone"})
"""Tools of files that do not print how much memory the machine has, without which the page cache cannot be ruled out."""

SAYS_ON_ERRORS = frozenset({"stress-ng"})
"""Tools that say on standard error which of their figures they distrust; their readers take it before what was printed."""


def title(tool: str) -> str:
    """Return what can be read of a tool, one line: the first of its reader."""
    module = importlib.import_module(f"{tools.__name__}.{TOOLS[tool]}")
    line = (module.__doc__ or "").partition("\n")[0].strip().replace("``", "")
    return line.removeprefix(f"{tool}: ")


def check_known(tool: str) -> None:
    """Refuse a tool whose output cannot be read.

    Raises:
        UnknownNameError: no reader of that name.
    """
    if tool not in TOOLS:
        kind = "tool"
        raise UnknownNameError(kind, tool, tuple(TOOLS), hint="assay workload list")


def read_output(tool: str, output: bytes, *, memory_bytes: int | None = None) -> ToolOutput:
    """Return all figures of a tool's saved output, with the lines that its reader does not know.

    Args:
        tool: The program's name, ``bonnie++``.
        output: What it printed, or the file that it wrote.
        memory_bytes: Memory of the machine that ran it, of use to ``KNOWS_NO_MEMORY``; ``None`` where not known.

    Raises:
        UnknownNameError: no reader of that name.
        OutputError: the output is not that tool's, has no figure, or a line that may be a damaged one.
    """
    check_known(tool)
    reader = importlib.import_module(f"{tools.__name__}.{TOOLS[tool]}")
    reported = {"memory_bytes": memory_bytes} if tool in KNOWS_NO_MEMORY else {}
    result: tuple[ToolOutput, tuple[str, ...]] = read_past(partial(reader.read, **reported), output)
    output_read, remarks = result
    if not (output_read.measurements or output_read.refused):
        raise OutputError(tool, None, "expected figures, got none")
    for one in output_read.measurements:
        if not (one.metric and one.unit):
            lacks = "unit" if one.metric else "name"
            raise OutputError(tool, None, f"expected a {lacks} of the figure {one.value:g}, got none")
        if not math.isfinite(one.value):  # a number of more than 308 digits
            raise OutputError(tool, None, f"expected a finite {one.metric}, got {one.value:g}")
    return replace(
        output_read, remarks=(*remarks, *output_read.remarks), open_end=not marks_end(tool, output)
    )
