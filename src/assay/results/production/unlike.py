"""In what jobs of physical and of virtual nodes differ besides their nodes."""

from __future__ import annotations

import math
from collections import Counter

from assay.results.production.tally import Key, Side

MOST_APART, BEYOND_CHANCE = 0.1, 2.0
"""Share of jobs that may be of another kind; times what chance alone would make it."""
MOST_TOLD = 0.95
"""Share of jobs of which a figure is told: those of which it is not may be others."""
MOST_EVENTS = 1.25
"""Times the events of a job on the other side: initialization is another part of its wall time."""


def unlike(
    key: Key, physical: Side, virtual: Side, *, events: bool, hardware: str | None
) -> tuple[list[str], list[str]]:
    """Return why jobs cannot be compared, and what else differs; sentences.

    Args:
        key: Class and size.
        physical: Jobs on physical nodes.
        virtual: Jobs on virtual ones.
        events: Wall time is told by event.
        hardware: Processor of the lab's machine; ``None`` is not known.
    """
    grave, others = [], []
    if (mix := _mix(physical.works, virtual.works)) is not None:
        grave.append(mix)
    ratio = _events(virtual) / _events(physical) if events else 1.0
    if ratio > MOST_EVENTS or ratio < 1 / MOST_EVENTS:
        grave.append(f"jobs on virtual nodes have {ratio:.2g} times the events of those on physical ones")
    others += [f"the {what} is told of {100 * told:.0f} % of the jobs on {kind} nodes only"
               for kind, side in (("physical", physical), ("virtual", virtual))
               for what, told in _told(side).items() if 0 < told < MOST_TOLD]  # fmt: skip
    if (apart := _apart(physical, virtual)) is not None:
        others.append(apart)
    if hardware is not None and not _same(hardware, key.of_class):
        others.append(
            f"the lab measured on {hardware}, the class is called {key.of_class}: other hardware has "
            "another loss"
        )
    return grave, others


def _told(side: Side) -> dict[str, float]:
    """Return of which share of the jobs CPU time and events are told."""
    sums = side.nodes.values()
    jobs = sum(one.jobs for one in sums)
    return {
        "CPU time": sum(one.cpu_jobs for one in sums) / jobs,
        "number of events": sum(one.event_jobs for one in sums) / jobs,
    }


def _events(side: Side) -> float:
    """Return the mean events of a job; NaN, which compares with nothing, where none are told."""
    sums = side.nodes.values()
    return sum(one.events for one in sums) / max(1, sum(one.event_jobs for one in sums)) or math.nan


def _mix(physical: Counter[str], virtual: Counter[str]) -> str | None:
    """Return how the names of jobs differ; digits in them do not count.

    Half the sum of the differences of shares is the share of jobs that would have to be others. By chance it
    is never 0: the mean of the absolute value of a normal variable is sqrt(2 / pi) of its standard deviation.
    """
    counts = physical.total(), virtual.total()
    shares = {work: (physical[work] / counts[0], virtual[work] / counts[1]) for work in physical | virtual}
    apart = sum(abs(a - b) for a, b in shares.values()) / 2
    chance, jobs = 0.0, sum(counts)
    for work in shares:
        share = (physical[work] + virtual[work]) / jobs
        chance += math.sqrt(share * (1 - share) * (1 / counts[0] + 1 / counts[1]) / (2 * math.pi))
    if apart <= max(MOST_APART, BEYOND_CHANCE * chance):
        return None
    work = max(shares, key=lambda one: abs(shares[one][0] - shares[one][1]))
    a, b = shares[work]
    return (
        f"the jobs are not the same: '{work}' (digits as #) is {100 * a:.0f} % of those on physical and "
        f"{100 * b:.0f} % of those on virtual nodes; choose some with --name"
    )


def _apart(physical: Side, virtual: Side) -> str | None:
    if (
        physical.first_s is None
        or physical.last_s is None
        or virtual.first_s is None
        or virtual.last_s is None
    ):
        return None
    if physical.last_s >= virtual.first_s and virtual.last_s >= physical.first_s:
        return None
    return (
        "jobs on physical and on virtual nodes ran at different times: what changed meanwhile is in the loss"
    )


def _same(a: str, b: str) -> bool:
    a, b = a.lower(), b.lower()
    return a in b or b in a
