"""nmon: the reader of its files."""

from __future__ import annotations

from assay.workloads.tool import OutputReader, Tool

NMON = Tool(
    "nmon",
    readers=(
        OutputReader(
            "nmon",
            "files of its data-collect mode (-f, -F) for Linux: a heading for each section, a "
            "line a snapshot.",
            "assay.workloads.tools.nmon.reader",
        ),
    ),
)
