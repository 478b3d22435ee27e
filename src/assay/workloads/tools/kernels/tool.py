"""The probe's own kernels: arithmetic, memory, paths through the kernel, files, transactions, a job of two
phases.
"""

from __future__ import annotations

from functools import partial

from assay.workloads.tool import ReadyWorkload, Tool, Work
from assay.workloads.tools.kernels import definition, flops, stream, transactions

_SHARED: dict[str, tuple[str, tuple[str, ...], Work | None]] = {
    "integer": (
        "Whole numbers by the probe's own kernel: generators and a sieve of primes.",
        ("runtime",),
        None,
    ),
    "astar": (
        "Searches for the cheapest path through a grid, by the probe's own kernel.",
        ("runtime",),
        None,
    ),
    "latency": (
        "Memory latency by working set: a load that waits for the one before, by the probe's own kernel.",
        (),
        None,
    ),
    "syscall": (
        "System calls by the probe's own kernel: getppid, read, write, stat, open and close.",
        (),
        Work.KERNEL,
    ),
    "context-switch": (
        "Context switches by the probe's own kernel: a token round a ring of processes.",
        (),
        Work.KERNEL,
    ),
    "fork": (
        "Making processes by the probe's own kernel: fork and exit; fork, exec and exit.",
        (),
        Work.KERNEL,
    ),
    "page-fault": (
        "Page faults by the probe's own kernel: first touch of fresh memory and of a cached file.",
        (),
        Work.KERNEL,
    ),
    "mmap": (
        "Mapping a cached file by the probe's own kernel: map, touch each page, unmap.",
        (),
        Work.KERNEL,
    ),
    "files": (
        "A file in records by the probe's own kernel: in order, again, at random, in strides.",
        (),
        Work.KERNEL,
    ),
    "two-phase": (
        "An initialization and an event loop of fixed work, by the probe's own kernel.",
        ("events",),
        None,
    ),
}
"""Kernels whose reports share one shape: title, parameters that a scene may give, what they claim.

Those without parameters do a fixed amount of work.
"""
_TRANSACTIONS = {
    "tcp-rr": (
        "A stand-in for netperf's TCP_RR by the probe's own kernel: a byte there and back over one "
        "connection."
    ),
    "tcp-crr": "A stand-in for netperf's TCP_CRR by the probe's own kernel: a new connection for each byte.",
    "udp-rr": (
        "A stand-in for netperf's UDP_RR by the probe's own kernel: a datagram of a byte there and back."
    ),
}


def _kernel(name: str) -> ReadyWorkload:
    title, parameters, work = _SHARED[name]
    return ReadyWorkload(
        name,
        title,
        partial(definition.workload, name),
        partial(definition.parse, name),
        parameters=parameters,
        work=work,
        disk_bytes=definition.disk_bytes if name == "files" else None,
    )


def _transaction(name: str) -> ReadyWorkload:
    return ReadyWorkload(
        name,
        _TRANSACTIONS[name],
        partial(transactions.workload, name),
        partial(transactions.parse, name),
        parameters=("runtime",),
        work=Work.KERNEL,
        most_copies=transactions.MOST[name],
    )


KERNELS = Tool(
    "probe",
    workloads=(
        ReadyWorkload(
            "flops",
            "Floating point by the probe's own kernel: compiled once, the same code on both arms.",
            flops.workload,
            flops.parse,
            parameters=("runtime",),
            work=Work.PROCESSOR,
        ),
        ReadyWorkload(
            "stream",
            "Memory bandwidth by the probe's own kernel, by STREAM's rules (and so not to be called STREAM).",
            stream.workload,
            stream.parse,
            work=Work.PROCESSOR,
        ),
        *map(_kernel, _SHARED),
        *map(_transaction, _TRANSACTIONS),
    ),
    server=transactions.SERVER,
)
