"""lmbench: the reader of its outputs."""

from __future__ import annotations

from assay.workloads.tool import OutputReader, Tool

LMBENCH = Tool(
    "lmbench",
    readers=(
        OutputReader(
            "lmbench",
            "lmbench 3, and 2 where it prints alike: standard error of its programs, and the "
            "file of make results.",
            "assay.workloads.tools.lmbench.reader",
        ),
    ),
)
