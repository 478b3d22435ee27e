"""Memory and threads by sysbench, on every processor of the arm.

``memory`` writes blocks of 1 KiB to a buffer that all threads share: it lies in the cache, so that the figure
is of the processor and not of memory (``stream`` is for that). ``threads`` takes and gives back one of eight
locks with a yield
between: it is the scheduler's and the hypervisor's.
"""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

TOOL = "sysbench"
SECONDS = 3
ENDLESS = "--memory-total-size=1024T"
"""sysbench stops at this size or at its time, whichever is first: by default at 100 GiB."""
TRANSFERRED = Metric("transferred", "MiB/s", Direction.HIGHER)
EVENTS = Metric("events_per_s", "events/s", Direction.HIGHER)
LATENCY = Metric("latency_avg", "ms", Direction.LOWER)
METRICS: dict[str, tuple[Metric, ...]] = {"memory": (TRANSFERRED,), "threads": (EVENTS, LATENCY)}


def workload(test: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload of a test with one thread a processor."""
    seconds = given.runtime_s or SECONDS
    options = (f"--threads={sizes.cpus}", f"--time={seconds}", "--events=0")
    own = (ENDLESS,) if test == "memory" else ()
    return Workload(
        name=f"{TOOL}-{test}",
        command=(TOOL, test, *own, *options, "run"),
        parser=f"{TOOL}-{test}",
        metrics=METRICS[test],
        program=TOOL,
        package=TOOL,
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
        note="blocks of 1 KiB of one shared buffer: the cache's bandwidth" if test == "memory" else "",
    )


def parse_memory(output: bytes) -> tuple[Measurement, ...]:
    """Return MiB a second of ``sysbench memory``.

    Raises:
        OutputError: sysbench's own error, another of its tests, a report that is cut off.
    """
    return (Measurement(TRANSFERRED, _only(output, "transferred_per_second")),)


def parse_threads(output: bytes) -> tuple[Measurement, ...]:
    """Return events a second and the mean time of an event of ``sysbench threads``.

    Raises:
        OutputError: sysbench's own error, another of its tests, a report that is cut off.
    """
    if b"Running memory speed test" in output or b"Prime numbers limit" in output:
        raise OutputError(TOOL, None, "expected a report of 'sysbench threads', got another test's")
    seconds = _only(output, "total_time")
    if seconds == 0:
        raise OutputError(TOOL, None, "expected a total time above 0 s, got 0 s")
    rate = _only(output, "total_number_of_events") / seconds
    return (Measurement(EVENTS, rate), Measurement(LATENCY, _only(output, "latency_avg")))


def _only(output: bytes, metric: str) -> float:
    from assay.workloads.tools.sysbench.reader import read

    values = [figure.value for figure in read(output).measurements if figure.metric == metric]
    if len(values) != 1:
        raise OutputError(TOOL, None, f"expected one figure '{metric}', got {len(values)}")
    return values[0]
