"""prmon: the reader of its files."""

from __future__ import annotations

from assay.workloads.tool import OutputReader, Tool

PRMON = Tool(
    "prmon",
    readers=(
        OutputReader(
            "prmon",
            "prmon.txt (a row a sample) and prmon.json (Max and Avg).",
            "assay.workloads.tools.prmon.reader",
        ),
    ),
)
