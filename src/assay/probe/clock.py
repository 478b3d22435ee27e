"""A machine's clock against the controller's, as arithmetic on readings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.machines.clock import ClockCheck, ClockReading

_NS = 1e9
MOST_SLEW = 500e-6
"""A kernel slews its clock by so much at most. Source: MAXFREQ in Linux' include/linux/timex.h."""


@dataclass(frozen=True)
class Exchange:
    """One question after the time, all in ns.

    Attributes:
        sent_ns: The controller's monotonic clock when the question went out.
        received_ns: The controller's monotonic clock when the answer was here.
        real_ns: The controller's wall clock in the middle of the exchange.
        there_mono_ns: The machine's monotonic clock when it answered.
        there_real_ns: The machine's wall clock when it answered.
    """

    sent_ns: int
    received_ns: int
    real_ns: int
    there_mono_ns: int
    there_real_ns: int

    @property
    def round_trip_ns(self) -> int:
        """Time between question and answer."""
        return self.received_ns - self.sent_ns


def read_clock(exchanges: Iterable[Exchange]) -> ClockReading:
    """Return the comparison by the quickest of some exchanges: it bounds the answer's moment best.

    Source: Cristian, "Probabilistic clock synchronization", Distributed Computing 3 (1989): the
    machine's clock was read somewhere within the round trip, so half of it bounds the error.

    Raises:
        ValueError: There is no exchange.
    """
    best = min(exchanges, key=lambda exchange: exchange.round_trip_ns)
    return ClockReading(
        here_ns=(best.sent_ns + best.received_ns) // 2,
        there_ns=best.there_mono_ns,
        offset_s=(best.there_real_ns - best.real_ns) / _NS,
        uncertainty_s=best.round_trip_ns / 2 / _NS,
    )


@dataclass(frozen=True)
class StartTime:
    """A moment of the controller on a machine's clock.

    Attributes:
        at_mono_ns: The moment on the machine's monotonic clock (``Start.at_mono_ns``).
        uncertainty_s: It is known to this.
    """

    at_mono_ns: int
    uncertainty_s: float


def start_time(reading: ClockReading, here_ns: int) -> StartTime:
    """Return a moment of the controller's monotonic clock on a machine's, for a common start of several.

    Args:
        reading: A recent comparison of the two clocks.
        here_ns: The moment on the controller's monotonic clock.

    Limits: a clock of another rate than the kernel's slewing allows (an emulated guest's) is off by that
        rate times the time from the reading to the moment; ``check_clock`` tells.
    """
    away_ns = here_ns - reading.here_ns
    slewed_s = 2 * MOST_SLEW * abs(away_ns) / _NS  # both clocks, in opposite directions
    return StartTime(reading.there_ns + away_ns, reading.uncertainty_s + slewed_s)


def check_clock(before: ClockReading, after: ClockReading) -> ClockCheck:
    """Return the rate of a machine's clock between two readings, and how well it is known.

    Limits: the rate is a mean over the whole time; a clock that was stepped and stepped back is not seen.

    Raises:
        ValueError: The second reading is not later than the first.
    """
    elapsed_ns = after.here_ns - before.here_ns
    if elapsed_ns <= 0:
        msg = f"expected the second reading after the first, got {elapsed_ns} ns between them"
        raise ValueError(msg)
    return ClockCheck(
        before=before,
        after=after,
        rate=(after.there_ns - before.there_ns) / elapsed_ns,
        rate_uncertainty=(before.uncertainty_s + after.uncertainty_s) * _NS / elapsed_ns,
    )
