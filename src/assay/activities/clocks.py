"""Clocks that no trial could be timed by, found before one runs."""

from __future__ import annotations

from assay.activities.trials.trial import MOST_CLOCK_WAIT_S
from assay.activities.visits.visit import Visit
from assay.model.errors import MissingError
from assay.probe import check_clock
from assay.results.losses.figures import MOST_RATE_ERROR


class ClockError(MissingError):
    """A machine answers so late that nothing could be timed by its clock; load that ends may mend it."""


def clock_is_off(visit: Visit) -> str | None:
    """Return what is wrong with the rate of a guest's clock since it was opened; ``None`` where nothing is
    seen.

    An emulated guest's clock may run several times too fast where its host is busy, and stays so for a while.
    """
    first, now = visit.first_clock, visit.clock()
    if first is None or now is None or now.here_ns <= first.here_ns:
        return None
    check = check_clock(first, now)
    if abs(check.rate - 1) - check.rate_uncertainty <= MOST_RATE_ERROR:
        return None
    return f"its clock ran {check.rate - 1:+.1%} off the host's"


def require_clock(visit: Visit) -> None:
    """Refuse a machine that answers so late that the rate of its clock would not become known.

    Raises:
        ClockError: No figure that it times could be used.
    """
    reading = visit.clock()
    most_s = MOST_RATE_ERROR * MOST_CLOCK_WAIT_S / 2
    if reading is None or reading.uncertainty_s <= most_s:
        return
    msg = (
        f"cannot measure {visit.machine}: it answers after {2e3 * reading.uncertainty_s:.0f} ms, "
        f"and its clock could not be compared to {MOST_RATE_ERROR:.0%} (at most {2e3 * most_s:.0f} ms)"
    )
    raise ClockError(msg, hint="run assay nearer to it, or look for load on the way")
