"""What stops a lane: which kind it is, and whether it is tried again."""

from __future__ import annotations

import pytest

from assay.activities.clocks import ClockError
from assay.activities.fleet.failures import AGAIN_S, failure_of, stop_of, wait_before
from assay.activities.quiet import NotQuietError
from assay.machines import UnreachableError
from assay.machines.errors import HostKeyError, TimedOutError
from assay.model.errors import AssayError, MissingError, NoRoomError
from assay.model.fleet import Failure
from assay.platforms.errors import ClaimedError, HypervisorError, NoGuestImageError, PlatformError


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (UnreachableError("gone", machine="n01"), Failure.UNREACHABLE),
        (TimedOutError("silent", machine="n01"), Failure.UNREACHABLE),
        (HypervisorError("qemu+ssh://n01/system", "refused"), Failure.UNREACHABLE),
        (HostKeyError("changed", machine="n01", changed=True), Failure.REFUSED),
        (NoRoomError("full"), Failure.NO_ROOM),
        (ClaimedError("measured by another"), Failure.BUSY),
        (NotQuietError("busy"), Failure.BUSY),
        (PlatformError("did not boot"), Failure.NO_GUEST),
        (NoGuestImageError("cannot find guest image"), Failure.NO_IMAGE),
        (ClockError("answers after 700 ms"), Failure.CLOCK),
        (MissingError("no fio"), Failure.MISSING),
        (AssayError("no such factor"), Failure.WRONG),
    ],
)
def test_each_error_is_of_a_kind(error: AssayError, failure: Failure) -> None:
    assert failure_of(error) is failure
    stop = stop_of(error, 3)
    assert (stop.failure, stop.message, stop.tries) == (failure, error.message, 3)
    assert stop.exit_code == int(error.exit_code)


@pytest.mark.parametrize("failure", [Failure.REFUSED, Failure.MISSING, Failure.WRONG])
def test_what_no_waiting_mends_is_not_tried_again(failure: Failure) -> None:
    assert wait_before(failure, 1) is None


@pytest.mark.parametrize("failure", AGAIN_S)
def test_what_may_mend_is_tried_again_after_longer_waits_and_not_for_ever(
    failure: Failure,
) -> None:
    waits = [wait_before(failure, tries) for tries in range(1, len(AGAIN_S[failure]) + 2)]
    assert waits == [*AGAIN_S[failure], None]
    assert list(AGAIN_S[failure]) == sorted(AGAIN_S[failure])
