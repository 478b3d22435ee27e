"""fio: a disk in order and at random, and the reader of its outputs."""

from __future__ import annotations

from assay.workloads.sizes import fio_file_bytes
from assay.workloads.tool import DiskUse, OutputReader, ReadyWorkload, Tool, Work
from assay.workloads.tools.fio import definition

FIO = Tool(
    "fio",
    workloads=(
        ReadyWorkload(
            "fio",
            "Disk by fio: sequential write and read, then random 4 KiB reads, on one file and "
            "past the page cache.",
            definition.workload,
            definition.parse,
            parameters=("runtime", "size"),
            work=Work.KERNEL,
            disk=DiskUse.DIRECT,
            file_bytes=lambda sizes: fio_file_bytes(sizes).count,
        ),
    ),
    readers=(
        OutputReader(
            "fio",
            "JSON (json, json+) and normal text of versions 2 and 3, and terse output of versions 3 to 5.",
            "assay.workloads.tools.fio.reader",
            json=True,
            of_files=True,
        ),
    ),
)
