"""IOzone: one file by seven operations, fio as a stand-in for it, and the reader of its outputs."""

from __future__ import annotations

from assay.workloads.sizes import fio_file_bytes
from assay.workloads.tool import DiskUse, OutputReader, ReadyWorkload, Tool, Work
from assay.workloads.tools.iozone import by_fio, definition

_OPERATIONS = "write, rewrite, read, reread, random, strides"

IOZONE = Tool(
    "iozone",
    workloads=tuple(
        ReadyWorkload(
            name,
            title,
            module.workload,
            module.parse,
            parameters=("size", "record"),
            work=Work.KERNEL,
            disk=DiskUse.DIRECT,
            file_bytes=lambda sizes: fio_file_bytes(sizes).count,
        )
        for name, title, module in (
            (
                "iozone",
                f"IOzone's seven operations on one file, past the page cache: {_OPERATIONS}.",
                definition,
            ),
            (
                by_fio.NAME,
                (
                    "A stand-in for IOzone's seven operations: fio does them, one request at a time, "
                    "past the page cache."
                ),
                by_fio,
            ),
        )
    ),
    readers=(
        OutputReader(
            "iozone",
            "IOzone 3.4 and 3.5: tables, reports for a spreadsheet on stdout and as a worksheet "
            "file, throughput mode.",
            "assay.workloads.tools.iozone.reader",
            asks_memory=True,
            of_files=True,
            read_after={"read": "write", "reread": "rewrite"},
        ),
    ),
)
