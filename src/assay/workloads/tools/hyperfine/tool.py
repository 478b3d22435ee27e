"""hyperfine: the reader of its files."""

from __future__ import annotations

from assay.workloads.tool import OutputReader, Tool

HYPERFINE = Tool(
    "hyperfine",
    readers=(
        OutputReader(
            "hyperfine",
            "what --export-json and --export-csv wrote; always in seconds, whatever was shown.",
            "assay.workloads.tools.hyperfine.reader",
            json=True,
        ),
    ),
)
