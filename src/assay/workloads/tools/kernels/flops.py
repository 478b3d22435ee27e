"""Floating point by the probe's own kernel: compiled once, the same code on both arms."""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.workload import Workload
from assay.workloads.document import read_document
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

FLOPS = Metric("flops", "Mflop/s", Direction.HIGHER)
SECONDS = 3


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload with one thread a processor."""
    seconds = given.runtime_s or SECONDS
    options = ("--seconds", str(seconds), "--threads", str(sizes.cpus))
    return Workload(
        name="flops",
        command=("{probe}", "kernel", "flops", *options),
        parser="flops",
        metrics=(FLOPS,),
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return millions of floating-point operations per second of ``assay-probe kernel flops``.

    Raises:
        OutputError: not that kernel's report, or no number in it.
    """
    report = read_document(output, tool="the flops kernel")
    if report.at("kernel") != "flops":
        report.fail(f"expected the report of kernel 'flops', got '{report.at('kernel')}'")
    return (Measurement(FLOPS, report.number("flop_per_s") / 1e6),)
