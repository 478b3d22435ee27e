"""Bonnie++: a file through the page cache, and the reader of its outputs."""

from __future__ import annotations

from assay.workloads.sizes import bonnie_file_bytes
from assay.workloads.tool import DiskUse, OutputReader, ReadyWorkload, Tool, Work
from assay.workloads.tools.bonnie import definition

BONNIE = Tool(
    "bonnie++",
    workloads=(
        ReadyWorkload(
            "bonnie++",
            "Bonnie++ through the page cache, by its rule: a file of twice the memory.",
            definition.workload,
            definition.parse,
            parameters=("size", "record"),
            fault=definition.fault,
            work=Work.KERNEL,
            disk=DiskUse.CACHED,
            file_bytes=lambda sizes: bonnie_file_bytes(sizes, None).count,
        ),
    ),
    readers=(
        OutputReader(
            "bonnie++",
            "Bonnie++ 1.03 to 2.00: its lines with commas, and the tables that it and bon_csv2txt print.",
            "assay.workloads.tools.bonnie.reader",
            asks_memory=True,
            of_files=True,
            read_after={"get_block": "put_block"},
        ),
    ),
)
