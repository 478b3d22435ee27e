"""What the checks look at: the ended trials of one workload by arm, with their plain figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from statistics import median
from typing import NamedTuple

from assay.explain.sanity.disk_kinds import Disk
from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, State, Trial, Usage
from assay.model.work.workload import Workload


@dataclass(frozen=True)
class LoopSampled:
    """What series tell of a trial's event loop alone; ``None`` is "not recorded".

    Attributes:
        disk_busy_share: Time of it in which the busiest disk had a request, over all of it.
        disk_latency_s: Mean time of a request to it.
        run_queue_s: Seconds that the job's threads waited for a processor, summed over them.
        block_io_s: Seconds that they waited for block I/O.
        cpu_s: CPU seconds that the job used in it; ``None`` too where too few samples lie in it.
        system_s: Those of them in the kernel.
        read_bytes: Bytes that it fetched from storage in it.
        write_bytes: Bytes that it sent there.
    """

    disk_busy_share: float | None = None
    disk_latency_s: float | None = None
    run_queue_s: float | None = None
    block_io_s: float | None = None
    cpu_s: float | None = None
    system_s: float | None = None
    read_bytes: float | None = None
    write_bytes: float | None = None


@dataclass(frozen=True)
class Sampled:
    """What the checks need of a trial's series; ``None`` is "not recorded".

    Attributes:
        write_rate: Bytes a second that the job sent to storage, where that was constant over most of it.
        swap_bytes: Largest amount of the job's memory that was in swap.
        swapped_pages: Pages that the whole machine moved to or from swap meanwhile.
        heat_count: Times that heat held a processor back meanwhile, the largest of all processors.
        heat_s: Seconds of it, the largest of all processors.
        disk_busy_share: Time in which the busiest disk had a request, over the time of the samples.
        disk_latency_s: Mean time of a request to it.
        vcpu_wait_s: At least and at most the seconds that a guest's vCPUs waited for a processor of its host,
            where the guest could tell them as steal, too.
        loop: What is told of the event loop; ``None`` where the job has no single one.
        disk: The disk that carried its folder.
    """

    write_rate: float | None = None
    swap_bytes: int | None = None
    swapped_pages: int | None = None
    heat_count: int | None = None
    heat_s: float | None = None
    disk_busy_share: float | None = None
    disk_latency_s: float | None = None
    vcpu_wait_s: tuple[float, float] | None = None
    loop: LoopSampled | None = None
    disk: Disk | None = None


class Spread(NamedTuple):
    """A figure over the trials of an arm: what is usual, and the worst case with its trial.

    Attributes:
        median: Over the trials that have it.
        worst: The largest or the smallest, whichever speaks more against them.
        where: Name of that trial.
        trials: How many have it.
    """

    median: float
    worst: float
    where: str
    trials: int


@dataclass(frozen=True)
class Runs:
    """The ended trials of one workload on one arm.

    Attributes:
        label: Name of where they ran.
        workload: What ran.
        trials: In the order in which they ran.
        sampled: What was sampled, by the name of the trial.
    """

    label: str
    workload: Workload
    trials: tuple[Trial, ...]
    sampled: Mapping[str, Sampled] = field(default_factory=dict)

    def typical(self, figure: Callable[[Trial], float | None]) -> float | None:
        """Return the median of a figure over the trials that have it; ``None`` where none has."""
        known = [value for trial in self.trials if (value := figure(trial)) is not None]
        return median(known) if known else None

    def spread(
        self, figure: Callable[[Trial], float | None], *, worst: Callable[[float, float], float] = max
    ) -> Spread | None:
        """Return a figure's median over the trials that have it, and its worst; ``None`` where none has.

        Args:
            figure: What is told of a trial.
            worst: ``max`` or ``min``.
        """
        known = [(value, trial.planned.name) for trial in self.trials if (value := figure(trial)) is not None]
        if not known:
            return None
        values = [value for value, _ in known]
        extreme = reduce(worst, values)
        return Spread(median(values), extreme, dict(reversed(known))[extreme], len(known))

    def watched(
        self, figure: Callable[[Sampled], float | None], *, worst: Callable[[float, float], float] = max
    ) -> Spread | None:
        """Return the spread of a figure of what was sampled."""

        def of_trial(trial: Trial) -> float | None:
            sampled = self.sampled.get(trial.planned.name)
            return None if sampled is None else figure(sampled)

        return self.spread(of_trial, worst=worst)

    def usage(self, figure: Callable[[Usage], float | None]) -> float | None:
        """Return the median of a figure of the resource totals."""
        return self.typical(lambda trial: figure(trial.usage) if trial.usage else None)

    def series(self) -> Iterator[Sampled]:
        """Yield what was sampled, in the order of the trials."""
        return (self.sampled[t.planned.name] for t in self.trials if t.planned.name in self.sampled)


@dataclass(frozen=True)
class Pair:
    """One workload on both arms."""

    workload: Workload
    baseline: Runs
    treatment: Runs

    @property
    def arms(self) -> tuple[Runs, Runs]:
        """Both arms, the baseline first."""
        return self.baseline, self.treatment


def pairs(
    plan: ActivityPlan, records: Iterable[Trial], sampled: Mapping[str, Sampled] | None = None
) -> tuple[Pair, ...]:
    """Return each workload of a plan with its ended trials; arms without any stay, empty."""
    ended = sorted((r for r in records if r.state is State.ENDED), key=lambda r: r.planned.index)
    return tuple(_pair(plan, workload, ended, sampled or {}) for workload in plan.workloads)


def _pair(
    plan: ActivityPlan, workload: Workload, ended: Sequence[Trial], sampled: Mapping[str, Sampled]
) -> Pair:
    ours = [record for record in ended if record.planned.workload == workload.name]
    baseline, treatment = (tuple(r for r in ours if r.planned.arm is arm) for arm in Arm)
    return Pair(
        workload,
        Runs(plan.baseline.label, workload, baseline, sampled),
        Runs(plan.treatment.label, workload, treatment, sampled),
    )


def cpu_s(usage: Usage) -> float:
    """Return the CPU seconds of a job, user and system."""
    return usage.user_s + usage.system_s


def processors(trial: Trial) -> int:
    """Return the number of processors that a trial could use."""
    return max(1, len(trial.limits.cpus) or len(trial.facts.cpus))
