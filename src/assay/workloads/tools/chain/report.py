"""What the reference chain says at its end: the rates of its steps, and a digest of what it computed."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.metric import Measurement, Metric
from assay.workloads.document import Document, read_document
from assay.workloads.phases import EVENTS
from assay.workloads.same_result import one_digest, report_digest
from assay.workloads.tools.chain.steps import STEPS


def metrics(name: str) -> tuple[Metric, ...]:
    """Return what the report of a workload yields: the event rate, and that of each of several steps."""
    return (
        EVENTS,
        *(Metric(f"{step}_{EVENTS.name}", EVENTS.unit, EVENTS.direction) for step in STEPS[name].steps),
    )


def parse(name: str, output: bytes) -> tuple[Measurement, ...]:
    """Return the event rates of a report; a rate without events is ``None``.

    Raises:
        OutputError: not that step's report, no digest of the result in it, or no number where one should be.
    """
    report = _report(name, output)
    report_digest(report)
    own, *others = metrics(name)
    rates = [_number_or_none(report, "steps", index, "events_per_s") for index in _places(report, name)]
    steps = zip(others, rates, strict=True)
    return (_own_rate(report, own), *(Measurement(metric, rate) for metric, rate in steps))


def digest(name: str, outputs: Sequence[bytes]) -> str:
    """Return the digest of the result that all copies of a job told of.

    Raises:
        OutputError: a report lacks it, or two copies differ: they did the same work and came to another
            result.
    """
    return one_digest(name, (_report(name, output) for output in outputs))


def _report(name: str, output: bytes) -> Document:
    report, expected = read_document(output, tool=f"the workload {name}"), STEPS[name].report
    if (got := report.at("chain")) != expected:
        report.fail(f"expected the report of '{expected}', got '{got}'")
    return report


def _places(report: Document, name: str) -> list[int]:
    """Return where a report of several steps tells of each whose rate is a figure."""
    reported = report.at("steps")
    names = [
        report.at("steps", index, "chain")
        for index in range(len(reported) if isinstance(reported, list) else 0)
    ]
    for step in STEPS[name].steps:
        if step not in names:
            report.fail(f"expected the step '{step}', got {', '.join(map(str, names)) or 'no steps'}")
    return [names.index(step) for step in STEPS[name].steps]


def _own_rate(report: Document, metric: Metric) -> Measurement:
    """Return the rate of a step, or of several the events over the time of all their loops."""
    reported = report.at("steps")
    if not isinstance(reported, list):
        return Measurement(metric, _number_or_none(report, "events_per_s"))
    events = report.number("events")
    seconds = sum(report.number("steps", index, "seconds", "event_loop") for index in range(len(reported)))
    return Measurement(metric, events / seconds if events and seconds else None)


def _number_or_none(report: Document, *path: str | int) -> float | None:
    parent, last = report.at(*path[:-1]), path[-1]
    if isinstance(parent, dict) and last in parent and parent[str(last)] is None:
        return None
    return report.number(*path)
