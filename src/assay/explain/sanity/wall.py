"""Doubts about time: jobs too short to be timed or watched, and copies that did not take the same time."""

from __future__ import annotations

from collections.abc import Iterator

from assay.explain.sanity.runs import Pair, Runs
from assay.model.doubt import Doubt
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


def short_wall(pair: Pair, interval_s: float) -> Iterator[Doubt]:
    """Doubt trials that are too short for the clock, for the kernel's ticks or for the probe's interval.

    A member of a scan of event numbers is as short as the scan needs it: only its clock is looked at.

    Args:
        pair: The workload.
        interval_s: Time between samples, s.
    """
    for runs in pair.arms:
        wall = runs.spread(lambda trial: trial.usage.wall_s if trial.usage else None, worst=min)
        if wall is not None and (reasons := list(_too_short(runs, wall.median, interval_s))):
            took = wall.usual(lambda seconds: f"{seconds:.3g} s")
            sentence = f"{pair.workload.name} took {took} on {runs.label}: {'; '.join(reasons)}."
            step = (
                f"Give {pair.workload.name} more work, so that it takes at least "
                f"{_enough_s(interval_s):.3g} s (more events, a larger input), or set a shorter 'interval'."
            )
            yield Doubt("short-wall", sentence, step)


def copies_differ(pair: Pair) -> Iterator[Doubt]:
    """Doubt copies of one job whose wall times are spread by more than a tenth of their median."""
    for runs in pair.arms:
        spread = runs.spread(_spread)
        if spread is not None and spread.median > MOST_SPREAD:
            slow, fast = runs.typical(lambda t: max(_walls(t))), runs.typical(lambda t: min(_walls(t)))
            sentence = (
                f"The copies of {pair.workload.name} on {runs.label} took {fast:.4g} to {slow:.4g} s, "
                f"{spread.usual(lambda share: f'{share:.0%}')} of their median apart: some of them had less of the "
                "machine."
            )
            step = "Set 'placement: {pinning: each}' and compare the copies' processors and memory nodes in trial.json."
            yield Doubt("copies-differ", sentence, step)


def _too_short(runs: Runs, wall_s: float, interval_s: float) -> Iterator[str]:
    scanned = runs.workload.family is not None and runs.workload.events is not None
    if wall_s < TICK_S / MOST_TICK_SHARE and not scanned:
        yield f"a tick of {TICK_S * 1000:.0f} ms is {TICK_S / wall_s:.0%} of that"
    if wall_s < (FEWEST_SAMPLES - 1) * interval_s and not scanned:
        yield f"samples are {interval_s:.3g} s apart"
    unknown = runs.spread(lambda trial: trial.clock.rate_uncertainty if trial.clock else None)
    if unknown is not None and unknown.median > KNOWN_RATE:
        yield f"over such a time its clock's rate is only known to {unknown.usual(lambda share: f'{share:.2%}')}"


def _enough_s(interval_s: float) -> float:
    return max(TICK_S / MOST_TICK_SHARE, (FEWEST_SAMPLES - 1) * interval_s)


def _walls(trial: Trial) -> list[float]:
    return [copy.wall_s for copy in trial.copies if copy.wall_s is not None]


def _spread(trial: Trial) -> float | None:
    walls = sorted(_walls(trial))
    if len(walls) < 2 or walls[0] <= 0:
        return None
    return (walls[-1] - walls[0]) / walls[len(walls) // 2]
