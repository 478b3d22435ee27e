"""sysbench: processor, memory, threads and files, and the reader of its text."""

from __future__ import annotations

from functools import partial

from assay.workloads.sizes import fio_file_bytes
from assay.workloads.tool import DiskUse, OutputReader, ReadyWorkload, Tool, Work
from assay.workloads.tools.sysbench import definition, files, more

SYSBENCH = Tool(
    "sysbench",
    workloads=(
        ReadyWorkload(
            "sysbench-cpu",
            "CPU by sysbench: prime numbers up to 10,000, over and over, on every processor of the arm.",
            definition.workload,
            definition.parse,
            parameters=("runtime",),
            work=Work.PROCESSOR,
        ),
        ReadyWorkload(
            "sysbench-memory",
            "Blocks of 1 KiB to a shared buffer by sysbench: the cache's bandwidth.",
            partial(more.workload, "memory"),
            more.parse_memory,
            parameters=("runtime",),
        ),
        ReadyWorkload(
            "sysbench-threads",
            "Locks taken and given back by sysbench's threads, with a yield between.",
            partial(more.workload, "threads"),
            more.parse_threads,
            parameters=("runtime",),
        ),
        ReadyWorkload(
            files.NAME,
            "Files by sysbench: one file read in order and at random, then written in order, "
            "past the page cache.",
            files.workload,
            files.parse,
            parameters=("runtime", "size"),
            work=Work.KERNEL,
            disk=DiskUse.DIRECT,
            file_bytes=lambda sizes: fio_file_bytes(sizes).count,
        ),
    ),
    readers=(
        OutputReader(
            "sysbench",
            "the text of versions 0.4, 0.5, 1.0 and 1.1; cpu, memory, fileio, threads, mutex and "
            "the SQL tests.",
            "assay.workloads.tools.sysbench.reader",
        ),
    ),
)
