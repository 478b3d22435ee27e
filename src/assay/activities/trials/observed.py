"""What was to be looked at in a trial and could not be: said, so that nobody takes absence for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.doubt import Doubt
from assay.probe import RunResult


def observation_doubts(result: RunResult) -> Iterator[Doubt]:
    """Yield what the machine or its probe did not tell of all that was asked for."""
    if absent := [f"{one.group} ({one.absent})" for one in result.series if one.absent is not None]:
        yield Doubt("series-absent", f"Not on this machine: {', '.join(absent)}.")
    if unknown := [f"{one.name} ({one.reason})" for one in result.counters if one.value is None]:
        yield Doubt("counters-absent", f"Not counted on this machine: {', '.join(unknown)}.")
    reported = {one.name for one in result.counters}
    if missing := [name for name in result.spec.counters if name not in reported]:
        yield Doubt("counters-not-told", f"The probe told nothing of {', '.join(missing)}.")
    if result.profile is not None and result.profile.absent is not None:
        yield Doubt("profile-absent", f"No profile on this machine: {result.profile.absent}.")
    if result.profile is None and result.spec.profile is not None:
        yield Doubt("profile-not-told", "The probe told nothing of the profile that was asked for.")
