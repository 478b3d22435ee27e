"""CPU by sysbench: prime numbers up to 10,000, over and over, on every processor of the arm."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.tool_output import Refused
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

if TYPE_CHECKING:
    from assay.workloads.tools.sysbench.lines import ReportedLine

TOOL = "sysbench"
EVENTS = Metric("events_per_s", "events/s", Direction.HIGHER)
SECONDS = 3
PRIMES = 10_000
"""sysbench's own default: an event of about a millisecond, far above the cost of counting it."""

_CPU_TEST = re.compile(
    r"^[ \t]*(?:prime|primer) numbers? limit|cpu (?:performance benchmark|test|speed:)",
    re.IGNORECASE | re.MULTILINE,
)
_RATES = ("events_per_second", "eps")


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload with one thread a processor."""
    seconds = given.runtime_s or SECONDS
    options = (f"--cpu-max-prime={PRIMES}", f"--threads={sizes.cpus}", f"--time={seconds}", "--events=0")
    return Workload(
        name="sysbench-cpu",
        command=("sysbench", "cpu", *options, "run"),
        parser="sysbench-cpu",
        metrics=(EVENTS,),
        program="sysbench",
        package="sysbench",
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return events per second of ``sysbench cpu``, versions 0.4 to 1.1.

    1.0 prints ``events per second``, 1.1 may print ``events/s (eps)`` alone; 0.4 and 0.5 print neither, but
    the number of events and the total time that later versions divide, to more digits.

    Raises:
        OutputError: sysbench's own error, another of its tests, a figure that is missing, printed twice
            (checkpoint reports) or not a number.
    """
    from assay.workloads.tools.sysbench.reader import read_lines

    text = output.decode("utf-8-sig", "replace")
    reported = read_lines(text)
    if _CPU_TEST.search(text) is None:
        problem = "expected a report of 'sysbench cpu', got no word of it"
        raise OutputError(TOOL, len(text.splitlines()), problem)
    for metric in _RATES:
        if (rate := _only(reported, metric)) is not None:
            return (Measurement(EVENTS, rate),)
    return (Measurement(EVENTS, _rate_of_totals(reported, len(text.splitlines()))),)


def _rate_of_totals(reported: Sequence[ReportedLine], last: int) -> float:
    events, seconds = _only(reported, "total_number_of_events"), _only(reported, "total_time")
    if events is None or seconds is None:
        problem = "expected 'events per second:', or 'total number of events:' and 'total time:', got neither"
        raise OutputError(TOOL, last, problem)
    if seconds == 0:
        raise OutputError(TOOL, last, "expected a total time above 0 s, got 0 s")
    return events / seconds


def _only(reported: Sequence[ReportedLine], metric: str) -> float | None:
    """Return the figure of a metric, ``None`` where there is none; a run with checkpoints has several."""
    lines = [one for one in reported if one.entry.metric == metric]
    if len(lines) > 1:
        raise OutputError(TOOL, lines[1].line, f"expected one figure '{metric}', got a second")
    for one in lines:
        if isinstance(one.entry, Refused):
            raise OutputError(TOOL, one.line, f"expected a number, got none: {one.entry.reason}")
        return one.entry.value
    return None
