"""What was to be looked at in a trial and could not be: said, so that nobody takes absence for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.doubt import Raised, raised
from assay.probe import RunResult


def observation_doubts(result: RunResult) -> Iterator[Raised]:
    """Yield what the machine or its probe did not tell of all that was asked for."""
    if absent := tuple((one.group, one.absent) for one in result.series if one.absent is not None):
        yield raised("series-absent", absent=absent)
    if unknown := tuple((one.name, one.reason) for one in result.counters if one.value is None):
        yield raised("counters-absent", absent=unknown)
    reported = {one.name for one in result.counters}
    if missing := tuple(name for name in result.spec.counters if name not in reported):
        yield raised("counters-not-told", names=missing)
    if result.profile is not None and result.profile.absent is not None:
        yield raised("profile-absent", reason=result.profile.absent)
    if result.profile is None and result.spec.profile is not None:
        yield raised("profile-not-told")
