"""Analysis of ROOT files by the pack ``root``: all branches, a quarter, or few are read."""

from __future__ import annotations

from functools import partial

from assay.model.platforms.data import ROOT
from assay.workloads.tool import ReadyWorkload, Tool
from assay.workloads.tools.root_analysis import definition

ROOT_ANALYSIS = Tool(
    "root",
    workloads=tuple(
        ReadyWorkload(
            name,
            f"ROOT files analysed by workers as PROOF's: {reads}.",
            partial(definition.workload, name=name, branches=branches, users=users),
            measure=definition.measure,
            together=definition.measure_together if users == 1 else None,
            parameters=("users",) if users == 1 else (),
            usage=True,
            data=ROOT,
            data_bytes_per_s=definition.GUESSED_BYTES_PER_S,
            data_rate=definition.ASKED.name,
            one_job=True,
        )
        for name, reads, branches, users in (
            (definition.NAME, "all branches are read", "all", 1),
            ("root-analysis-quarter", "a quarter of the branches is read", "25%", 1),
            ("root-analysis-few", "the four branches of the leptons are read", "few", 1),
            ("root-analysis-two-users", "all branches, two users' jobs at once", "all", 2),
        )
    ),
)
