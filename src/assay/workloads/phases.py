"""The figures of phases: how long each took, and how many events passed a second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.phase import FIRST_PHASE, PhaseRules, PhaseTime
from assay.workloads.copies import joined

EVENTS = Metric("events_per_s", "events/s", Direction.HIGHER)
"""Events a second of the event loop, which is the phase with most events."""


def phase_time(phase: str) -> Metric:
    """Return the metric of a phase's duration, ``event-loop`` -> ``event_loop_time``."""
    return Metric(f"{phase.replace('-', '_')}_time", "s", Direction.LOWER)


def phase_metrics(rules: PhaseRules) -> tuple[Metric, ...]:
    """Return the metrics that marks and events promise; a job that tells phases itself may add others."""
    names = dict.fromkeys((FIRST_PHASE, *(mark.phase for mark in rules.marks))) if rules.marks else ()
    return (*map(phase_time, names), *((EVENTS,) if rules.events is not None else ()))


def measure_phases(
    rules: PhaseRules | None, reported: Sequence[PhaseTime], *, copies: int
) -> tuple[Measurement, ...]:
    """Return the time of each phase, averaged over the copies, and the event rate, summed over them.

    Args:
        rules: How phases are told; ``None`` is "not at all".
        reported: Stays in phases; a phase that a copy was in several times counts together.
        copies: How many there were: a phase that not all of them told of has no value.
    """
    if rules is None:
        return ()
    ours = [[stay for stay in reported if stay.copy == copy] for copy in range(copies)]
    times = {stay.phase: [_wall_s(stays, stay.phase) for stays in ours] for stay in reported}
    values = {phase_time(phase): joined(Direction.LOWER, each) for phase, each in times.items()}
    events = {EVENTS: joined(Direction.HIGHER, map(_events_per_s, ours))} if _tells_events(reported) else {}
    wanted: dict[Metric, None] = dict.fromkeys((*values, *phase_metrics(rules), *events))
    return tuple(Measurement(metric, (values | events).get(metric)) for metric in wanted)


def _tells_events(reported: Iterable[PhaseTime]) -> bool:
    return any(stay.events is not None for stay in reported)


def _wall_s(stays: Iterable[PhaseTime], phase: str) -> float | None:
    seconds = [stay.wall_s for stay in stays if stay.phase == phase]
    return sum(seconds) if seconds else None


def _events_per_s(stays: Sequence[PhaseTime]) -> float | None:
    """Return the rate of the phase with most events: events that are told late belong to no other."""
    counts = {stay.phase: 0 for stay in stays if stay.events is not None}
    for stay in stays:
        if stay.events is not None:
            counts[stay.phase] += stay.events
    loop = max(counts, key=lambda phase: counts[phase], default=None)
    seconds = _wall_s(stays, loop) if loop is not None else None
    return counts[loop] / seconds if loop is not None and seconds else None
