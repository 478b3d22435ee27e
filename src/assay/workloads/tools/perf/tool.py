"""perf: the reader of what ``perf stat`` prints."""

from __future__ import annotations

from assay.workloads.tool import OutputReader, Tool

PERF = Tool(
    "perf",
    readers=(
        OutputReader(
            "perf",
            "what perf stat prints as text, CSV (-x) and JSON lines (-j), intervals and figures "
            "of a CPU too.",
            "assay.workloads.tools.perf.reader",
        ),
    ),
)
