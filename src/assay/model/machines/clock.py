"""Moments of one machine's clocks, and such a clock against the controller's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Instant:
    """A moment on the clocks of one machine: monotonic, and since 1970; ns."""

    mono_ns: int
    real_ns: int


@dataclass(frozen=True)
class ClockReading:
    """One comparison of a machine's clock with the controller's, from the quickest of several exchanges.

    Attributes:
        here_ns: The controller's monotonic clock in the middle of the exchange.
        there_ns: The machine's monotonic clock.
        offset_s: The machine's wall clock minus the controller's.
        uncertainty_s: Half the exchange's round trip: the offset is known to this.
    """

    here_ns: int
    there_ns: int
    offset_s: float
    uncertainty_s: float


@dataclass(frozen=True)
class ClockCheck:
    """The clock of a machine over one trial.

    Attributes:
        before: Reading before the trial.
        after: Reading after it.
        rate: Seconds of the machine's clock per second of the controller's; 1.0 is right.
        rate_uncertainty: The rate is known to this.
    """

    before: ClockReading
    after: ClockReading
    rate: float
    rate_uncertainty: float


@dataclass(frozen=True)
class ClockSet:
    """A machine's wall clock, set by the controller's.

    Attributes:
        found_s: What it was ahead of the controller's before (negative: behind).
        left_s: What it is ahead since it was set.
        uncertainty_s: Both are known to this.
    """

    found_s: float
    left_s: float
    uncertainty_s: float
