"""``openssl speed``: SHA-256 of blocks of 16 KiB, one process on each processor of the arm."""

from __future__ import annotations

from assay.workloads import (
    Direction,
    Measurement,
    Metric,
    OutputReader,
    Parameters,
    ReadyWorkload,
    Sizes,
    Tool,
    Work,
    Workload,
)

HASHED = Metric("hashed", "B/s", Direction.HIGHER)
SECONDS = 3
NAME = "openssl-sha256"


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload for the processors of an arm."""
    seconds = given.runtime_s or SECONDS
    options = ("-mr", "-bytes", "16384", "-seconds", str(seconds), "-multi", str(sizes.cpus))
    return Workload(
        name=NAME,
        command=("openssl", "speed", *options, "-evp", "sha256"),
        parser=NAME,
        metrics=(HASHED,),
        program="openssl",
        package="openssl",
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
        note=f"{sizes.cpus} processes, blocks of 16 KiB",
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return the bytes that all processes together hashed in a second."""
    from assay_openssl.reader import read

    (figure,) = (one for one in read(output).measurements if one.metric == "sha256")
    return (Measurement(HASHED, figure.value),)


OPENSSL = Tool(
    "openssl",
    workloads=(
        ReadyWorkload(
            NAME,
            "SHA-256 by openssl speed, a process on each processor of the arm.",
            workload,
            parse,
            parameters=("runtime",),
            work=Work.PROCESSOR,
        ),
    ),
    readers=(
        OutputReader("openssl", "openssl speed -mr of one algorithm and block size", "assay_openssl.reader"),
    ),
)
