"""Moments of several guests' clocks on the controller's, so that they can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.machines.clock import ClockCheck, Instant
from assay.model.trial import CopyUsage
from assay.model.work.phase import PhaseTime

NS = 1e9


def on_controller(instant: Instant, clock: ClockCheck | None) -> Instant:
    """Return a moment of a guest's clock on the controller's; no check means that it is the
    controller's own.
    """
    if clock is None:
        return instant
    before = clock.before
    mono_ns = before.here_ns + round((instant.mono_ns - before.there_ns) / clock.rate)
    return Instant(mono_ns, instant.real_ns - round(before.offset_s * NS))


def seconds_after(moment_ns: int, instant: Instant, clock: ClockCheck | None) -> float:
    """Return how long after a moment of the controller's monotonic clock a moment of a guest's clock lies."""
    return (on_controller(instant, clock).mono_ns - moment_ns) / NS


def copies_of(
    parts: Sequence[tuple[Sequence[CopyUsage], ClockCheck | None, float]],
) -> Iterator[CopyUsage]:
    """Yield the copies of all guests, numbered through, on the controller's clock.

    Args:
        parts: Copies of each guest, its clock, and the rate that its times are corrected by.
    """
    first = 0
    for copies, clock, rate in parts:
        for copy in copies:
            yield replace(
                copy,
                copy=first + copy.copy,
                started=copy.started and on_controller(copy.started, clock),
                ended=copy.ended and on_controller(copy.ended, clock),
                wall_s=copy.wall_s and copy.wall_s / rate,
                user_s=copy.user_s and copy.user_s / rate,
                system_s=copy.system_s and copy.system_s / rate,
            )
        first += len(copies)


def phases_of(
    parts: Sequence[tuple[Sequence[PhaseTime], ClockCheck | None, float]], each: int
) -> Iterator[PhaseTime]:
    """Yield the phases of all copies on the controller's clock; what others beside them used is not told.

    Args:
        parts: As of ``copies_of``.
        each: Copies that each guest ran.
    """
    for number, (phases, clock, rate) in enumerate(parts):
        for phase in phases:
            yield PhaseTime(
                copy=number * each + phase.copy,
                phase=phase.phase,
                started=on_controller(phase.started, clock),
                ended=on_controller(phase.ended, clock),
                wall_s=phase.wall_s / rate,
                user_s=None,
                system_s=None,
                events=phase.events,
            )
