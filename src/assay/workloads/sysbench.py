"""CPU by sysbench: prime numbers up to 10,000, over and over, on every processor of the arm."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.model.metric import Direction, Measurement, Metric
from assay.model.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

TOOL = "sysbench"
EVENTS = Metric("events_per_s", "events/s", Direction.HIGHER)
SECONDS = 3
PRIMES = 10_000
"""sysbench's own default: an event of about a millisecond, far above the cost of counting it."""

_CPU_TEST = re.compile(
    r"^\s*(?:prime|primer) numbers? limit|cpu (?:performance benchmark|test|speed:)", re.IGNORECASE
)
_NUMBER = r"\s*(.*?)"
_RATES = (r"\s*events per second:", r"\s*events/s \(eps\):")
_COUNT, _TIME = r"\s*total number of events:", r"\s*total time:"
_ERROR = re.compile(r"\s*(FATAL:|Fatal error|ERROR:)\s*(.*)", re.IGNORECASE)


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
    lines = _lines(output)
    _refuse_errors(lines)
    if not any(_CPU_TEST.search(line.text) for line in lines):
        raise OutputError(TOOL, len(lines), "expected a report of 'sysbench cpu', got no word of it")
    for label in _RATES:
        if (rate := _figure(lines, label)) is not None:
            return (Measurement(EVENTS, rate),)
    return (Measurement(EVENTS, _rate_of_totals(lines)),)


@dataclass(frozen=True)
class _Line:
    number: int
    text: str


def _lines(output: bytes) -> list[_Line]:
    text = output.decode("utf-8", "replace")
    return [_Line(number, line) for number, line in enumerate(text.splitlines(), start=1)]


def _refuse_errors(lines: list[_Line]) -> None:
    for line in lines:
        if (found := _ERROR.match(line.text)) is not None:
            raise OutputError(TOOL, line.number, f"sysbench says '{found[0].strip()}'")


def _rate_of_totals(lines: list[_Line]) -> float:
    events, seconds = _figure(lines, _COUNT), _figure(lines, _TIME, unit="s")
    if events is None or seconds is None:
        problem = "expected 'events per second:', or 'total number of events:' and 'total time:', got neither"
        raise OutputError(TOOL, len(lines), problem)
    if seconds == 0:
        raise OutputError(TOOL, len(lines), "expected a total time above 0 s, got 0 s")
    return events / seconds


def _figure(lines: list[_Line], label: str, *, unit: str = "") -> float | None:
    pattern = re.compile(f"{label}{_NUMBER}{unit}\\s*")
    found = [(line, match) for line in lines if (match := pattern.fullmatch(line.text)) is not None]
    if not found:
        return None
    if len(found) > 1:
        problem = f"expected one '{found[0][0].text.strip()}', got a second"
        raise OutputError(TOOL, found[1][0].number, problem)
    line, match = found[0]
    return _to_number(match[1], line)


def _to_number(text: str, line: _Line) -> float:
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) is None:
        raise OutputError(TOOL, line.number, f"expected a number, got '{line.text.strip()}'")
    return float(text)
