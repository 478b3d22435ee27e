"""Data read by the programs that jobs read them with: ``dd`` and ``xrdcp``."""

from __future__ import annotations

from assay.model.platforms.data import NOISE
from assay.workloads.tool import DiskUse, ReadyWorkload, Tool
from assay.workloads.tools.data_read import definition

DATA_READ = Tool(
    "data-read",
    workloads=(
        ReadyWorkload(
            definition.NAME,
            "Every byte of an activity's data, read once: what the way to them costs.",
            definition.workload,
            measure=definition.measure,
            usage=True,
            disk=DiskUse.CACHED,
            data=NOISE,
            data_bytes_per_s=definition.GUESSED_BYTES_PER_S,
            data_rate=definition.RATE.name,
            whole_data=True,
        ),
    ),
)
