"""Doubts about time: jobs too short to be timed or watched, and copies that did not take the same time."""

from __future__ import annotations

from collections.abc import Iterator

from assay.explain.sanity.runs import Pair, Runs
from assay.model.doubt import Raised, raised
from assay.model.trial import Trial

TICK_S = 0.01
"""What a job's start, its reaping and a tick of the kernel's clock come to.

Source: time(7): the software clock of a kernel of CONFIG_HZ=100, in which /proc/stat counts too.
"""
MOST_TICK_SHARE = 0.01
"""Of a job's wall time, above which ``TICK_S`` is no longer small against losses of a few percent."""
FEWEST_SAMPLES = 3
"""Below this nothing of a job can be seen over time."""
KNOWN_RATE = 0.003
"""A clock's rate should be known to this, a third of the error that bars its figures."""
MOST_SPREAD = 0.10
"""Of the copies' wall times around their median."""


def short_wall(pair: Pair, interval_s: float) -> Iterator[Raised]:
    """Doubt trials that are too short for the clock, for the kernel's ticks or for the probe's interval.

    A member of a scan of event numbers is as short as the scan needs it: only its clock is looked at.

    Args:
        pair: The workload.
        interval_s: Time between samples, s.
    """
    for runs in pair.arms:
        wall = runs.spread(lambda trial: trial.usage.wall_s if trial.usage else None, worst=min)
        if wall is not None and (reasons := list(_too_short(runs, wall.median, interval_s))):
            yield raised(
                "short-wall",
                workload=pair.workload.name,
                arm=runs.label,
                wall_s=wall,
                reasons=tuple(reasons),
                enough_s=_enough_s(interval_s),
            )


def copies_differ(pair: Pair) -> Iterator[Raised]:
    """Doubt copies of one job whose wall times are spread by more than a tenth of their median."""
    for runs in pair.arms:
        spread = runs.spread(_spread)
        if spread is not None and spread.median > MOST_SPREAD:
            slow, fast = runs.typical(lambda t: max(_walls(t))), runs.typical(lambda t: min(_walls(t)))
            yield raised(
                "copies-differ",
                workload=pair.workload.name,
                arm=runs.label,
                fastest_s=fast,
                slowest_s=slow,
                apart=spread,
            )


def _too_short(runs: Runs, wall_s: float, interval_s: float) -> Iterator[Raised]:
    scanned = runs.workload.family is not None and runs.workload.events is not None
    if wall_s < TICK_S / MOST_TICK_SHARE and not scanned:
        yield raised("short-wall", case="tick", tick_s=TICK_S, share=TICK_S / wall_s)
    if wall_s < (FEWEST_SAMPLES - 1) * interval_s and not scanned:
        yield raised("short-wall", case="samples", interval_s=interval_s)
    unknown = runs.spread(lambda trial: trial.clock.rate_uncertainty if trial.clock else None)
    if unknown is not None and unknown.median > KNOWN_RATE:
        yield raised("short-wall", case="clock", known=unknown)


def _enough_s(interval_s: float) -> float:
    return max(TICK_S / MOST_TICK_SHARE, (FEWEST_SAMPLES - 1) * interval_s)


def _walls(trial: Trial) -> list[float]:
    return [copy.wall_s for copy in trial.copies if copy.wall_s is not None]


def _spread(trial: Trial) -> float | None:
    walls = sorted(_walls(trial))
    if len(walls) < 2 or walls[0] <= 0:
        return None
    return (walls[-1] - walls[0]) / walls[len(walls) // 2]
