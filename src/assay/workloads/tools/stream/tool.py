"""STREAM: the reader of its output."""

from __future__ import annotations

import re

from assay.workloads.tool import OutputReader, Tool

STREAM = Tool(
    "stream",
    readers=(
        OutputReader(
            "stream",
            "the output of the original STREAM, versions 4 to 5.10, in C or Fortran.",
            "assay.workloads.tools.stream.reader",
            last_line=re.compile(rb"Solution Validates: .*\n|-+\s*\n"),
        ),
    ),
)
