"""What a trial's figures are worth: the clock's verdict, and the doubts that the record must carry."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.model.doubt import Raised, raised
from assay.model.machines.clock import ClockCheck
from assay.model.metric import Direction, Measurement
from assay.model.trial import Trial, Usage

MOST_RATE_ERROR = 0.01
"""A clock that runs off by more bars every figure timed by it."""
MOST_STEAL = 0.01
"""Share of the trial that other guests of this machine's own hypervisor may take before it is said."""


@dataclass(frozen=True)
class Timing:
    """What the clock allows.

    Attributes:
        rate: Divide times by it and multiply rates with it; ``None`` bars figures timed by this clock.
        doubts: What must be said.
    """

    rate: float | None
    doubts: tuple[Raised, ...] = ()


def judge_clock(check: ClockCheck | None) -> Timing:
    """Return what the clock over a trial allows; no check means that the clock is the controller's own."""
    if check is None:
        return Timing(1.0)
    error = check.rate - 1
    if abs(error) + check.rate_uncertainty > MOST_RATE_ERROR:
        return Timing(None, (_off(error, check.rate_uncertainty),))
    if abs(error) <= check.rate_uncertainty:
        return Timing(1.0)
    return Timing(check.rate, (raised("clock-corrected", error=error, known=check.rate_uncertainty),))


def _off(error: float, known: float) -> Raised:
    """Return that a clock's rate is wrong, or that it is not known to be right."""
    wrong = abs(error) > MOST_RATE_ERROR
    return raised("clock-rate" if wrong else "clock-rate-unknown", error=error, known=known)


def usage_on_host_clock(record: Trial) -> Usage | None:
    """Return a trial's totals on the host's clock; ``None`` where its own clock is not trusted."""
    rate = judge_clock(record.clock).rate
    if record.usage is None or rate is None:
        return None
    usage = record.usage
    return replace(
        usage, wall_s=usage.wall_s / rate, user_s=usage.user_s / rate, system_s=usage.system_s / rate
    )


def on_host_clock(measurements: tuple[Measurement, ...], timing: Timing) -> tuple[Measurement, ...]:
    """Return the figures on the host's clock; barred ones keep their name and lose their value."""
    return tuple(_on_host_clock(measurement, timing.rate) for measurement in measurements)


def _on_host_clock(measurement: Measurement, rate: float | None) -> Measurement:
    if not measurement.metric.timed or measurement.value is None:
        return measurement
    if rate is None:
        return replace(measurement, value=None)
    lower = measurement.metric.direction is Direction.LOWER
    return replace(measurement, value=measurement.value / rate if lower else measurement.value * rate)


def steal_doubt(steal_s: float | None, wall_s: float, cpus: int) -> tuple[Raised, ...]:
    """Say so where the machine's own hypervisor took processor time away during the trial."""
    if steal_s is None or wall_s <= 0 or steal_s / (wall_s * cpus) <= MOST_STEAL:
        return ()
    return (raised("steal", share=steal_s / (wall_s * cpus)),)
