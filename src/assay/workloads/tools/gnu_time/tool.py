"""GNU time: the reader of its outputs."""

from __future__ import annotations

import re

from assay.workloads.tool import OutputReader, Tool

GNU_TIME = Tool(
    "time",
    readers=(
        OutputReader(
            "time",
            "GNU time: -v (BusyBox has it too), its usual two lines, and -p (POSIX), also of bash.",
            "assay.workloads.tools.gnu_time.reader",
            last_line=re.compile(rb"\tExit status: \d+\s*\n"),
        ),
    ),
)
