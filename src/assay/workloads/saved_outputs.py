"""Saved outputs of tools, read by the readers that tools have.

Nothing is guessed; what cannot be compared keeps its value and says why (``not_comparable``). The ready
workloads take their few metrics from the same readers.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from assay.model.work.tool_output import ToolOutput
from assay.workloads.catalogue import READERS
from assay.workloads.errors import OutputError
from assay.workloads.outputs.remarks import read_past


def read_output(tool: str, output: bytes, *, memory_bytes: int | None = None) -> ToolOutput:
    """Return all figures of a tool's saved output, with the lines that its reader does not know.

    Args:
        tool: The program's name, ``bonnie++``.
        output: What it printed, or the file that it wrote.
        memory_bytes: Memory of the machine that ran it, of use where its reader asks for it; ``None`` where
            not known.

    Raises:
        UnknownNameError: no reader of that name.
        OutputError: the output is not that tool's, has no figure, or a line that may be a damaged one.
    """
    one = READERS[tool]
    output_read, remarks = read_past(partial(one.read, memory_bytes=memory_bytes), output)
    if not (output_read.measurements or output_read.refused):
        raise OutputError(tool, None, "expected figures, got none")
    for figure in output_read.measurements:
        if not (figure.metric and figure.unit):
            lacks = "unit" if figure.metric else "name"
            raise OutputError(tool, None, f"expected a {lacks} of the figure {figure.value:g}, got none")
        if not math.isfinite(figure.value):  # a number of more than 308 digits
            raise OutputError(tool, None, f"expected a finite {figure.metric}, got {figure.value:g}")
    return replace(output_read, remarks=(*remarks, *output_read.remarks), open_end=not one.marks_end(output))
