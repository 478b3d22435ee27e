"""DIRAC's DB12, and the reader of its outputs."""

from __future__ import annotations

import re

from assay.workloads.tool import OutputReader, ReadyWorkload, Tool
from assay.workloads.tools.db12 import definition

DB12 = Tool(
    "db12",
    workloads=(
        ReadyWorkload(
            "db12",
            "DIRAC's DB12: random numbers in Python, one copy on each processor, scored by CPU time.",
            definition.workload,
            definition.parse,
        ),
    ),
    readers=(
        OutputReader(
            "db12",
            "one copy, several, the whole node, as text or --json; and the block of the HEP Benchmark Suite.",
            "assay.workloads.tools.db12.reader",
            json=True,
            last_line=re.compile(rb"[\d. ]+(?:e[+-]\d+)?\n"),
        ),
    ),
)
