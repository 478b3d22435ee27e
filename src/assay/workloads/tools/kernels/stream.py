"""Memory bandwidth by the probe's own kernel, by STREAM's rules (and so not to be called STREAM)."""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.workload import Workload
from assay.workloads.document import read_document
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes, stream_array_bytes

METRICS = tuple(Metric(name, "MB/s", Direction.HIGHER) for name in ("copy", "scale", "add", "triad"))
"""1 MB = 1,000,000 B, as STREAM counts."""
REPETITIONS = 4
"""STREAM's default is 10; 4 leave 3 after the first, which its rules exclude, and stay short when
emulated.
"""


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload with one thread a processor and arrays sized by STREAM's rule."""
    del given  # not timed: its length is its repetitions
    array = stream_array_bytes(sizes)
    options = ("--array-bytes", str(array.count), "--repetitions", str(REPETITIONS))
    return Workload(
        name="stream",
        command=("{probe}", "kernel", "stream", *options, "--threads", str(sizes.cpus)),
        parser="stream",
        metrics=METRICS,
        seconds=2.0,
        note=array.note,
        rule_met=array.rule_met,
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return the best bandwidth of copy, scale, add and triad of ``assay-probe kernel stream``.

    Raises:
        OutputError: not that kernel's report, its arrays were wrong at the end, or no number in it.
    """
    report = read_document(output, tool="the stream kernel")
    if report.at("kernel") != "stream":
        report.fail(f"expected the report of kernel 'stream', got '{report.at('kernel')}'")
    if report.at("valid") is not True:
        report.fail(f"expected valid results in the arrays, got valid: {report.at('valid')}")
    return tuple(
        Measurement(metric, report.number(metric.name, "best_bytes_per_s") / 1e6) for metric in METRICS
    )
