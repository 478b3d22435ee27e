"""When a trial is run again: for a cause that was declared before the start, never for its value.

Every rule looks at the host from outside both arms, so that it cannot know which of them ran: what a
guest counts for itself (its steal above all) may be the very loss that is looked for, and is no cause.
What the disk does for others is no cause either: it cannot be told from the job's own delayed writes,
on the host and through QEMU alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from assay.model.activity import ActivityPlan
from assay.model.machines.machine import Reach
from assay.model.work.disturbance import Cause, Disturbance, HostOver

MOST_FOREIGN = 0.05
"""Share of the measured processors' time that others may have. What the kernel does for the job itself
(write-back, timers) stays below it; a program that keeps one of four processors busy lies far above."""
LEAST_S = 0.05
"""Less is within the kernel's accounting, of others and of steal: five of the ticks of 10 ms that
it counts.
"""
MOST_STEAL = 0.01
"""Share of their time that the host's own hypervisor may take: half of the usual margin of 2 %."""
MOST_SWAP_PAGES = 256
"""1 MiB: at eight pages a request (``vm.page-cluster``) a few milliseconds of an SSD."""
MOST_CLOCK_STEP_S = 0.01
"""A clock that is merely adjusted moves both clocks alike; this much is a step."""

MOST_SHARE = 0.1
"""At most this share of the planned trials is run again, but one may always be."""
MOST_TRIES = 2
"""One trial is run again at most so often; then it is kept, with its doubt."""

RULES: Mapping[Cause, str] = {
    Cause.FOREIGN_CPU: f"others than the job had more than {MOST_FOREIGN:.0%} of the measured "
    f"processors' time (and more than {LEAST_S:g} s)",
    Cause.HOST_STEAL: f"the host's own hypervisor took more than {MOST_STEAL:.0%} of their time "
    f"(and more than {LEAST_S:g} s)",
    Cause.THROTTLED: "a measured processor slowed itself down for heat or power, "
    "or was not allowed its base frequency",
    Cause.SWAP: f"the host swapped more than {MOST_SWAP_PAGES} pages in or out",
    Cause.CLOCK_STEP: f"the host's wall clock was set by more than {MOST_CLOCK_STEP_S * 1000:g} ms, "
    "or the host was suspended",
}
"""Each cause in words, as the documentation and every result say it."""


def find_disturbances(over: HostOver) -> tuple[Disturbance, ...]:
    """Return the declared causes that were found in what the host counted over a trial.

    Args:
        over: The change between a reading before the trial and one after it; what is not told is no cause.
    """
    return tuple(_disturbances(over))


def may_run_again(
    causes: Collection[Cause], declared: Collection[Cause], *, planned: int, rejected: int, tries: int
) -> bool:
    """Tell whether a trial is rejected and run again.

    Args:
        causes: Causes found in its reading.
        declared: Causes that the scene names.
        planned: Number of trials in the plan.
        rejected: Trials of the activity rejected so far.
        tries: How often this very trial was rejected so far.
    """
    wanted = not set(declared).isdisjoint(causes)
    return wanted and tries < MOST_TRIES and rejected < max(1, int(planned * MOST_SHARE))


def share_of(cause: Cause, over: HostOver) -> float:
    """Return the share of the measured processors' time that a cause took, 0 to 1; 0 for one that
    has none.
    """
    return _share({Cause.FOREIGN_CPU: over.foreign_s, Cause.HOST_STEAL: over.steal_s}.get(cause), over)


def _disturbances(over: HostOver) -> Iterator[Disturbance]:
    yield from _foreign(over)
    yield from _steal(over)
    if over.throttle_count or over.below_base:
        yield Disturbance(Cause.THROTTLED, over.throttle_count or None)
    if over.swap_pages is not None and over.swap_pages > MOST_SWAP_PAGES:
        yield Disturbance(Cause.SWAP, over.swap_pages)
    if over.clock_step_s is not None and abs(over.clock_step_s) > MOST_CLOCK_STEP_S:
        yield Disturbance(Cause.CLOCK_STEP, over.clock_step_s)


def _foreign(over: HostOver) -> Iterator[Disturbance]:
    if (share := _share(over.foreign_s, over)) > MOST_FOREIGN:
        yield Disturbance(Cause.FOREIGN_CPU, share)


def _steal(over: HostOver) -> Iterator[Disturbance]:
    if (share := _share(over.steal_s, over)) > MOST_STEAL:
        yield Disturbance(Cause.HOST_STEAL, share)


def _share(seconds: float | None, over: HostOver) -> float:
    """Return a share of the processors' time; none where it is not told or too little to be told."""
    capacity_s = over.seconds * len(over.cpus)
    return seconds / capacity_s if seconds and seconds > LEAST_S and capacity_s > 0 else 0.0


def is_read(plan: ActivityPlan) -> bool:
    """Tell whether the host is read: it is this machine for every arm, and the processors are known."""
    return all(arm.machine.reach is Reach.LOCAL and arm.limits.cpus for arm in plan.arms)
