"""Analysis of ROOT files as PROOF's: workers take packets of events; all branches, a quarter, or few are
read.

The program is the pack ``root``: a copy is a worker, all copies are one job. What the job read is held to the
sums that our own files carry: other physics fails the trial. Bytes asked for are those of the baskets that
the program wants; bytes from the device are the kernel's own count of the whole job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def workload(sizes: Sizes, given: Parameters, *, name: str, branches: str, users: int = 1) -> Workload:
    """Return the workload of some users' jobs, each of which reads so many of the branches."""
    del sizes, given  # all of the data, whatever the arm
    options = ("--branches", branches, *(("--users", str(users)) if users > 1 else ()))
    return Workload(
        name=name,
        command=("python3", "{pack}/run.py", "analyse", *options, "{data-files}"),
        parser=NAME,
        metrics=METRICS,
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
    del workload  # the reports have it all
    reports = [_report(output) for output in outputs]
    workers = [worker for report in reports for worker in _workers(report)]
    _check_physics(reports[0], workers)
    times = [
        (_number(reports[0], worker, "started_s"), _number(reports[0], worker, "ended_s"))
        for worker in workers
    ]
    loop_s = max(end for _, end in times) - min(start for start, _ in times)
    if loop_s <= 0:
        reports[0].fail(f"expected an event loop that takes time, got {loop_s} s")
    events, asked = (sum(report.number(name) for report in reports) for name in ("events", "asked_bytes"))
    device = usage.read_bytes
    return (
        Measurement(EVENTS, events / loop_s),
        Measurement(ASKED, asked / loop_s / 1e6),
        Measurement(DEVICE, None if device is None else device / loop_s / 1e6),
        Measurement(DEVICE_BYTES, None if device is None else device / 1e6),
        Measurement(AMPLIFICATION, None if device is None or not asked else device / asked),
        Measurement(WALL, usage.wall_s),
        Measurement(CPU, usage.user_s + usage.system_s),
    )


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
