"""Workloads that do a share of their work: what a search may begin with."""

from __future__ import annotations

from dataclasses import replace

from assay.model.errors import AssayError
from assay.scenes.values.chosen import Own, Ready


def shortened(chosen: Ready | Own, share: float) -> Ready | Own:
    """Return a workload of a scene with a share of its events, or of the time that it runs for.

    Args:
        chosen: It says its events as one number, or its run time.
        share: The share, above 0; 1 returns the workload as it is.

    Raises:
        AssayError: It says neither, or the share of it is none.
    """
    if share == 1:
        return chosen
    if len(chosen.events) == 1:
        return replace(chosen, events=(_part(chosen, chosen.events[0], share),))
    if isinstance(chosen, Ready) and chosen.parameters.runtime_s is not None:
        seconds = _part(chosen, chosen.parameters.runtime_s, share)
        return replace(chosen, parameters=replace(chosen.parameters, runtime_s=seconds))
    msg = f"cannot shorten {chosen.name}: it says no number of events and no run time"
    raise AssayError(msg, hint="events: 1000, with {events} in its command; or parameters: {runtime: 30 s}")


def _part(chosen: Ready | Own, whole: int, share: float) -> int:
    part = round(whole * share)
    if not 1 <= part < whole:
        msg = f"cannot shorten {chosen.name}: {share:g} of {whole} is no smaller number above 0"
        raise AssayError(msg, hint="a larger share, or more events")
    return part
