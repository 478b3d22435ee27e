"""What the configurations of a search gave, from the records of its activity."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from assay.model.activity import ActivityPlan
from assay.model.metric import Direction
from assay.model.trial import Arm, State, Trial
from assay.model.work.workload import Workload
from assay.pages.tuning import ConfigValue
from assay.results.losses.work import rates_of
from assay.workloads.command import JOB, WALL


def objective_of(workload: Workload, guests: int) -> tuple[str, ...]:
    """Return the names of the metrics that a workload is tuned by: its rates where it runs for a given time,
    else its time.

    Args:
        workload: As planned.
        guests: How many share the work. The time of several is that of all their work, from the first
            release to the last end, which holds a stagger of their starts; the time of a copy (``job_time``)
            does not, and a longer stagger would always make it shorter.
    """
    rates = tuple(rate.name for rate in rates_of(workload))
    own = guests == 1 and JOB in workload.metrics
    return rates or ((JOB if own else WALL).name,)


def values_of(plan: ActivityPlan, records: Sequence[Trial], tuned: Collection[str]) -> list[ConfigValue]:
    """Return what each configuration of a plan's first block gave, in the order of time.

    Args:
        plan: The activity's plan; its baseline is the guest as it is.
        records: Records of its trials.
        tuned: Names of the workloads that count.

    Returns:
        The geometric mean over the workloads of their time for the same work; ``None`` where a trial failed
        or was not run.
    """
    guests = plan.baseline.layout.guests
    wanted = {one.name: objective_of(one, guests) for one in plan.workloads if one.name in tuned}
    slots: dict[int, int] = {}
    for planned in plan.trials:
        if planned.block == 0 and planned.replicate == 0:
            slots.setdefault(0 if planned.arm is Arm.BASELINE else planned.level + 1, planned.slot)
    return [
        ConfigValue(number, _value(_of(records, number), wanted))
        for number in sorted(slots, key=slots.__getitem__)
    ]


def _of(records: Iterable[Trial], number: int) -> list[Trial]:
    """Return the records of a configuration in the first block."""
    return [
        one
        for one in records
        if one.planned.block == 0
        and one.planned.replicate == 0
        and (0 if one.planned.arm is Arm.BASELINE else one.planned.level + 1) == number
    ]


def _value(trials: Sequence[Trial], wanted: Mapping[str, tuple[str, ...]]) -> float | None:
    """Return the mean time over workloads, by the metrics that are wanted of each."""
    ended = {one.planned.workload: one for one in trials if one.state is State.ENDED}
    logs: list[float] = []
    for workload, metrics in wanted.items():
        log = _log_time(ended[workload], metrics) if workload in ended else None
        if log is None:
            return None
        logs.append(log)
    return math.exp(fmean(logs))


def _log_time(trial: Trial, names: Sequence[str]) -> float | None:
    """Return the logarithm of the time for the same work, the mean over metrics; ``None``: not measured."""
    found = {m.metric.name: m for m in trial.measurements}
    logs = []
    for name in names:
        one = found.get(name)
        if one is None or not one.value or one.value <= 0:
            return None
        logs.append(math.log(one.value) * (-1 if one.metric.direction is Direction.HIGHER else 1))
    return fmean(logs)
