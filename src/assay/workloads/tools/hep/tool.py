"""HEP's benchmarks: a container of hep-workloads, and readers of its summary, of HEPscore and of
HEP-SPEC06.
"""

from __future__ import annotations

from assay.workloads.tool import OutputReader, ReadyWorkload, Tool
from assay.workloads.tools.hep import definition

HEP = Tool(
    "hep-workloads",
    workloads=(
        ReadyWorkload(
            definition.NAME,
            "A container of hep-workloads: real software of an experiment, by the published "
            "contract of its driver.",
            definition.workload,
            definition.parse,
            parameters=("image", "score", "engine", "threads", "copies", "events", "arguments"),
            part=definition.part,
            as_asked=definition.as_asked,
        ),
    ),
    readers=(
        OutputReader(
            "hep-workloads",
            "the summary that a container writes, WORKLOAD_summary.json.",
            "assay.workloads.tools.hep.workloads",
            json=True,
        ),
        OutputReader(
            "hepscore",
            "its JSON (1.x and 2.x), and the HEP Benchmark Suite's report with all its profiles.",
            "assay.workloads.tools.hep.hepscore",
            json=True,
        ),
        OutputReader(
            "hs06",
            "HEP-SPEC06 and SPEC CPU by the suite's JSON block, and SPEC CPU2006's result files "
            "(.csv, .txt).",
            "assay.workloads.tools.hep.hs06",
            json=True,
        ),
    ),
)
