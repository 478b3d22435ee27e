"""DIRAC's DB12: random numbers in Python, one copy on each processor, scored by CPU time.

It divides by CPU seconds: a machine that gives a job a fifth of a core scores as high as one that gives all
of it. It is blind to steal, to throttling and to overcommitted processors, and says nothing of how long a job
takes; beside ``wall_time`` of a job of fixed work it shows just that. Its score is that of Python's
interpreter, too: both arms must have the same, and DB12 is corrected for Python 3.9 alone.

Source: https://github.com/DIRACGrid/DB12; the program ``db12`` comes from PyPI (``pip install DB12``), not
    from Debian.
"""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric, OfCopies
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

TOOL = "db12"
UNIT = "DB12"
SUM = Metric("sum", UNIT, Direction.HIGHER, of_copies=OfCopies.SUM)
MEDIAN = Metric("median", UNIT, Direction.HIGHER, of_copies=OfCopies.MEAN)
METRICS = (SUM, MEDIAN)
"""CPU seconds rest on the clock of the machine, as a wall time does."""
SECONDS = 15.0
"""Two iterations of 12.5 million random numbers; seen: 15 to 35 s of CPU."""


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; its length is its fixed work."""
    del given
    return Workload(
        name=TOOL,
        command=(TOOL, "multiple", str(sizes.cpus)),
        parser=TOOL,
        metrics=METRICS,
        program=TOOL,
        seconds=SECONDS,
        time_limit_s=1800.0,
        note="scored by CPU time: blind to steal and overcommitted processors",
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return the sum and the median over all copies.

    Whether DB12 corrected them for its Python stands in its warnings, which go to standard error: both arms
    of a comparison run the same program, so that it does not matter between them.

    Raises:
        OutputError: not the report of ``db12 multiple``, or a copy gave no result.
    """
    from assay.workloads.tools.db12.reader import read

    report = read(output)
    figures = {figure.metric: figure.value for figure in report.measurements if figure.metric != "raw"}
    if any(refused.metric == "raw" for refused in report.refused):
        raise OutputError(TOOL, None, "expected a score of each copy, got 0: a copy gave no result")
    if any(metric.name not in figures for metric in METRICS):
        raise OutputError(TOOL, 1, "expected the report of 'db12 multiple', got another one")
    return tuple(Measurement(metric, figures[metric.name]) for metric in METRICS)
