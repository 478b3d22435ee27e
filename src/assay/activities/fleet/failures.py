"""Why a lane stopped, and whether the world may be better when it is tried again.

A workload that fails is a record of its trial and stops no lane; nothing of it is tried again.
"""

from __future__ import annotations

import time

from assay.activities.clocks import ClockError
from assay.activities.quiet import NotQuietError
from assay.machines import UnreachableError
from assay.machines.batch.engine import EngineError
from assay.machines.errors import HostKeyError
from assay.model.errors import AssayError, Exit, NoRoomError
from assay.model.fleet import Failure, Stop
from assay.platforms.errors import ClaimedError, HypervisorError, NoGuestImageError, PlatformError

AGAIN_S: dict[Failure, tuple[float, ...]] = {
    Failure.UNREACHABLE: (5.0, 30.0, 120.0, 300.0),
    Failure.NO_ROOM: (60.0,),
    Failure.BUSY: (60.0, 300.0),
    Failure.NO_GUEST: (10.0,),
    Failure.NO_IMAGE: (60.0,),
    Failure.CLOCK: (60.0, 300.0),
}
"""How long is waited before each further try, s; what is not listed is not tried again."""

_KINDS: tuple[tuple[type[AssayError], Failure], ...] = (
    (HostKeyError, Failure.REFUSED),
    (UnreachableError, Failure.UNREACHABLE),
    (HypervisorError, Failure.UNREACHABLE),
    (EngineError, Failure.UNREACHABLE),
    (NoRoomError, Failure.NO_ROOM),
    (ClaimedError, Failure.BUSY),
    (NotQuietError, Failure.BUSY),
    (NoGuestImageError, Failure.NO_IMAGE),
    (ClockError, Failure.CLOCK),
    (PlatformError, Failure.NO_GUEST),
)


def failure_of(error: AssayError) -> Failure:
    """Return the kind of what stopped a lane."""
    for kind, failure in _KINDS:
        if isinstance(error, kind):
            return failure
    return Failure.MISSING if error.exit_code == Exit.MISSING else Failure.WRONG


def wait_before(failure: Failure, tries: int) -> float | None:
    """Return how long to wait before a lane is tried again, s; ``None`` takes it out.

    Args:
        failure: Why it stopped.
        tries: How often it was tried and stopped so, in a row, without a new record; from 1.
    """
    waits = AGAIN_S.get(failure, ())
    return waits[tries - 1] if tries <= len(waits) else None


def stop_of(error: AssayError, tries: int) -> Stop:
    """Return the note of a lane that is taken out."""
    code = int(error.exit_code)
    return Stop(failure_of(error), error.message, error.hint, tries, time.time_ns(), code)
