"""How much work a trial did, so that times of both arms are for the same work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from assay.model.metric import Direction, Metric
from assay.model.trial import Trial
from assay.model.work.accounting import own_metrics
from assay.model.work.workload import Workload
from assay.workloads import runs_for_a_time


def rates_of(workload: Workload) -> tuple[Metric, ...]:
    """Return the rates by which a workload of fixed duration tells how much it did; none of any other."""
    if not runs_for_a_time(workload):
        return ()
    return tuple(m for m in own_metrics(workload.metrics) if m.direction is Direction.HIGHER and _is_rate(m))


def _is_rate(metric: Metric) -> bool:
    """Tell whether a figure is work over time, on the clock of the machine or of somebody else."""
    return metric.timed or metric.unit.endswith("/s")


def work_of(trial: Trial, rates: Sequence[Metric], *, wall_s: float) -> float | None:
    """Return the work of a trial: its rate x its wall time; ``None`` where a rate was not measured or is 0.

    With several rates their geometric mean counts; without any the work is 1 on both arms.

    Args:
        trial: Its record; its rates are on the host's clock.
        rates: As ``rates_of`` returns them.
        wall_s: Its wall time on the host's clock.
    """
    if not rates:
        return 1.0
    values = {m.metric.name: m.value for m in trial.measurements}
    measured = [values.get(rate.name) for rate in rates]
    known = [value for value in measured if value]
    if len(known) < len(rates):
        return None
    return math.exp(fmean(math.log(value) for value in known)) * wall_s
