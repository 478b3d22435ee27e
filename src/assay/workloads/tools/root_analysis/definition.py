"""Analysis of ROOT files as PROOF's: workers take packets of events; all branches, a quarter, or few are
read.

The program is the pack ``root``: a copy is a worker, all copies are one job. What the job read is held to the
sums that our own files carry: other physics fails the trial. Bytes asked for are those of the baskets that
the program wants; bytes from the device are the kernel's own count of the whole job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.phase import FIRST_PHASE, PhaseRules
from assay.model.work.storage import AMPLIFICATION, DEVICE, DEVICE_BYTES, OF_STORAGE, READER
from assay.model.work.workload import Workload
from assay.workloads.command import CPU, WALL
from assay.workloads.document import Document, read_document
from assay.workloads.parameters import Parameters
from assay.workloads.phases import EVENTS, phase_time
from assay.workloads.sizes import Sizes

if TYPE_CHECKING:
    from assay.model.trial import Usage

NAME = READER
SCHEMA = "assay.root-analysis/1."
ASKED = Metric("asked_rate", "MB/s", Direction.HIGHER)
"""Compressed bytes of all baskets that were wanted, over the event loop; 1 MB = 1,000,000 B."""
METRICS = (
    *(EVENTS, ASKED, *OF_STORAGE, WALL, CPU),
    *(phase_time(FIRST_PHASE), phase_time("event-loop")),
)
"""Those of phases are told by the program and timed by the probe."""
GUESSED_BYTES_PER_S = 20e6
"""For the plan's expected time only: one worker, all branches."""
_MODULUS = 2**64
Times = Callable[[float], float]
"""From seconds of a machine's monotonic clock to those of a clock that all machines of a job share."""


def rate_of_user(name: str) -> Metric:
    """Return the metric of one user's rate: his events over the time from his first packet to his last one's
    end.
    """
    return Metric(f"{EVENTS.name}_{name}", EVENTS.unit, Direction.HIGHER)


def workload(sizes: Sizes, given: Parameters, *, name: str, branches: str, users: int = 1) -> Workload:
    """Return the workload of some users' jobs, each of which reads so many of the branches.

    Users that the scene names share the workers by their weights.
    """
    del sizes  # all of the data, whatever the arm
    named = given.users or ()
    weights = ",".join(str(weight) for _, weight in named)
    several = ("--users", str(users)) if users > 1 else ()
    options = ("--branches", branches, *(("--weights", weights) if named else several))
    return Workload(
        name=name,
        command=("python3", "{pack}/run.py", "analyse", *options, "{data-files}"),
        parser=NAME,
        metrics=(*METRICS, *(rate_of_user(name) for name, _ in named)),
        program="python3",
        package="python3",
        time_limit_s=600.0,
        phases=PhaseRules(announce=True),
        cache=CacheSpec(CacheState.COLD, files=()),
        pack="root",
    )


def measure(workload: Workload, outputs: Sequence[bytes], usage: Usage) -> tuple[Measurement, ...]:
    """Return the figures of a job of one or more copies: rates are over the time from the first event to the
    last.

    Args:
        workload: What ran.
        outputs: What each copy printed.
        usage: Resource totals of the whole job.

    Raises:
        OutputError: not the pack's report, or the job read other physics than is in the files.
    """
    reports = [_report(output) for output in outputs]
    workers = [worker for report in reports for worker in _workers(report)]
    _check_physics(reports[0], workers)
    return _figures(workload, [(reports, float)], usage)


def measure_together(
    workload: Workload, machines: Sequence[tuple[Sequence[bytes], Times]], usage: Usage
) -> tuple[Measurement, ...]:
    """Return the figures of a job that several machines did together, each a part of the files: rates are of
    all of them, over the time from the first event on any to the last.

    Args:
        workload: What ran.
        machines: What each copy of a machine printed, held to its physics before (``measure``), and what
            turns the machine's times into those of one clock.
        usage: Resource totals of all machines.

    Raises:
        OutputError: not the pack's report.
    """
    return _figures(workload, [([_report(one) for one in outputs], to) for outputs, to in machines], usage)


def _figures(
    workload: Workload, machines: Sequence[tuple[Sequence[Document], Times]], usage: Usage
) -> tuple[Measurement, ...]:
    done = [
        _Done(report, worker, to)
        for reports, to in machines
        for report in reports
        for worker in _workers(report)
    ]
    loop_s = _over(done)
    every = [report for reports, _ in machines for report in reports]
    if loop_s <= 0:
        every[0].fail(f"expected an event loop that takes time, got {loop_s} s")
    events, asked = (sum(report.number(name) for report in every) for name in ("events", "asked_bytes"))
    device = usage.read_bytes
    return (
        Measurement(EVENTS, events / loop_s),
        Measurement(ASKED, asked / loop_s / 1e6),
        Measurement(DEVICE, None if device is None else device / loop_s / 1e6),
        Measurement(DEVICE_BYTES, None if device is None else device / 1e6),
        Measurement(AMPLIFICATION, None if device is None or not asked else device / asked),
        Measurement(WALL, usage.wall_s),
        Measurement(CPU, usage.user_s + usage.system_s),
        *_of_users(workload, done),
    )


@dataclass(frozen=True)
class _Done:
    """What a worker did.

    Attributes:
        report: Where it is told.
        worker: Its part of that.
        to: What turns its times into those of all.
    """

    report: Document
    worker: Mapping[str, object]
    to: Times

    def number(self, name: str) -> float:
        return _number(self.report, self.worker, name)


def _over(done: Sequence[_Done]) -> float:
    """Return the time from the first packet of some workers to their last one's end."""
    starts, ends = ([one.to(one.number(name)) for one in done] for name in ("started_s", "ended_s"))
    return max(ends) - min(starts)


def _of_users(workload: Workload, done: Sequence[_Done]) -> Iterator[Measurement]:
    """Yield the rate of each user that the scene names, in the order of their numbers."""
    named = [metric for metric in workload.metrics if metric.name.startswith(f"{EVENTS.name}_")]
    for number, metric in enumerate(named):
        own = [one for one in done if one.number("user") == number]
        if not own or (seconds := _over(own)) <= 0:
            done[0].report.fail(f"expected workers of user {number}, whose event loop takes time")
        yield Measurement(metric, sum(one.number("events") for one in own) / seconds)


def _report(output: bytes) -> Document:
    report = read_document(output, tool="the pack root")
    if not str(report.at("schema")).startswith(SCHEMA):
        report.fail(f"expected a report of {SCHEMA}x, got '{report.at('schema')}'")
    return report


def _workers(report: Document) -> list[Mapping[str, object]]:
    workers = report.at("workers")
    if not isinstance(workers, list) or not workers or not all(isinstance(one, dict) for one in workers):
        report.fail("expected a list of workers, got none")
    return workers


def _check_physics(report: Document, workers: Sequence[Mapping[str, object]]) -> None:
    """Hold what all workers found together to what each job's files say is in them.

    Raises:
        OutputError: events are missing or were read twice, or their values are others.
    """
    users = int(report.number("users"))
    wanted = users * _number(report, workers[0], "job_events")
    events = sum(_number(report, worker, "events") for worker in workers)
    if events != wanted:
        report.fail(f"expected {wanted:,.0f} events of all workers, got {events:,.0f}")
    truth = workers[0].get("truth")
    if truth is None:
        return  # files of somebody else
    for name, value in _branches(report, truth).items():
        total = sum(_branches(report, worker.get("found")).get(name, 0) for worker in workers) % _MODULUS
        if total != users * value % _MODULUS:
            report.fail(f"expected the sum {users * value % _MODULUS} of branch '{name}', got {total}")


def _branches(report: Document, sums: object) -> Mapping[str, int]:
    branches = sums.get("branches") if isinstance(sums, dict) else None
    if not isinstance(branches, dict) or not all(type(value) is int for value in branches.values()):
        report.fail("expected sums of branches, got none")
    return branches


def _number(report: Document, worker: Mapping[str, object], name: str) -> float:
    value = worker.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        report.fail(f"expected a number '{name}' of each worker, got {value!r:.40}")
    return value
