"""how many processors a job uses at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from assay.model.trial import Trial
from assay.model.work.workload import Workload

BARELY = 0.05
"""A job that keeps less than this of another processor busy does not use it."""


def threads_of(workload: Workload) -> int:
    """Return the threads of a job as far as its scene tells: copies x threads, at least one each."""
    return workload.placement.copies * (workload.placement.threads or 1)


def parallelism_of(workload: Workload, trials: Sequence[Trial]) -> int:
    """Return how many processors a job uses at once, the same on both arms: 1 for a serial job.

    Copies x threads, at most the processors of the smaller arm. Where the scene leaves the threads to the
    workload, as many processors as its busiest trial kept busy, and at least one a copy.
    """
    reported = workload.placement.threads is not None
    busy = 1 if reported else max((_busy(trial) for trial in trials), default=1)
    return max(1, min(max(threads_of(workload), busy), _processors(trials)))


def _busy(trial: Trial) -> int:
    usage = trial.usage
    if usage is None or usage.wall_s <= 0:
        return 1
    return math.ceil((usage.user_s + usage.system_s) / usage.wall_s - BARELY)


def _processors(trials: Iterable[Trial]) -> int:
    return min((len(trial.limits.cpus or trial.facts.cpus) for trial in trials), default=1)
