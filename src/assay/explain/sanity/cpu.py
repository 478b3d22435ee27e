"""Doubts about processor time: a job that waits instead of computing, or computes in the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.explain.sanity.runs import Pair, Runs, Spread, cpu_s, processors
from assay.explain.sanity.waits import waits
from assay.model.doubt import Raised, raised
from assay.model.trial import Trial
from assay.model.work.accounting import OUTSIDE
from assay.model.work.workload import Workload

if TYPE_CHECKING:
    from assay.workloads import Work

LEAST_EFFICIENCY = 0.7
"""Below it a job that claims the processor waits too much: published are 90 % for a healthy and 19 % for a
sick one.

Source: Vamvakopoulos (2022), atlas-gen-bmk on an R6525, bare metal and guests.
"""
MOST_SYSTEM_SHARE = 0.20
"""Of a job's CPU time; event loops stay below some percent, the published anomalies lie at 23 to 96 %."""
LEAST_SYSTEM_SHARE = 0.05
"""Below this a treatment's share may be any multiple of the baseline's."""
LEAST_CPU_S = 0.5
"""Below this, ticks of 10 ms and the start of the program make up the shares."""


def efficiency(trial: Trial, threads: int | None = None) -> float | None:
    """Return the job efficiency, CPU time / (wall time × parallelism); ``None`` where it is not known.

    The parallelism is copies times threads, no more than there are processors.

    Source: the "job efficiency" of HEP accounting, printed as percent by Vamvakopoulos (2022).

    Args:
        trial: A trial that ended.
        threads: Threads of each copy; ``None`` is one.
    """
    if trial.usage is None or trial.usage.wall_s <= 0:
        return None
    wide = min(max(1, len(trial.copies)) * (threads or 1), processors(trial))
    return cpu_s(trial.usage) / (trial.usage.wall_s * wide)


def efficiency_of(workload: Workload, trial: Trial) -> float | None:
    """Return the job efficiency of a workload's trial; ``None`` where the accounting is not the job's.

    Guests that share a container share its threads.
    """
    if workload.program in OUTSIDE:
        return None
    placed = workload.placement
    threads = placed.threads and max(1, placed.threads * placed.copies // max(1, len(trial.copies)))
    return efficiency(trial, threads)


def system_share(trial: Trial) -> float | None:
    """Return the kernel's share of a job's CPU time; ``None`` where there was too little of it."""
    if trial.usage is None or cpu_s(trial.usage) < LEAST_CPU_S:
        return None
    return trial.usage.system_s / cpu_s(trial.usage)


def job_efficiency(pair: Pair) -> Iterator[Raised]:
    """Doubt arms whose job efficiency is low although the job claims the processor, with what it waited for.

    It claims it if the other arm shows that it can use it, or if computing is all that the workload does.
    """
    from assay.workloads import Work  # all tools: to word a doubt takes none

    work = _work(pair)
    spreads = [
        (runs, runs.spread(lambda trial: efficiency_of(pair.workload, trial), worst=min))
        for runs in pair.arms
    ]
    known = [(runs, spread) for runs, spread in spreads if spread is not None]
    computes = any(spread.median >= LEAST_EFFICIENCY for _, spread in known) and work is not Work.KERNEL
    low = [runs for runs, spread in known if spread.median < LEAST_EFFICIENCY]
    if not low or not (computes or work is Work.PROCESSOR):
        return
    yield raised(
        "job-efficiency",
        workload=pair.workload.name,
        efficiencies=tuple((runs.label, spread) for runs, spread in known),
        waits=tuple((runs.label, tuple(waited.items())) for runs in low if (waited := waits(runs))),
    )


def system_cpu(pair: Pair) -> Iterator[Raised]:
    """Doubt a job that spends much of its CPU time in the kernel, or far more so on the treatment.

    Source: the POWHEG anomaly of Vamvakopoulos (2022): 96 % system time in XFS's locks on bare metal, 23 % in
        guests.
    """
    from assay.workloads import Work  # likewise

    if pair.workload.program in OUTSIDE:
        return
    here, there = (runs.spread(system_share) for runs in pair.arms)
    for runs, spread in zip(pair.arms, (here, there), strict=True):
        high = spread is not None and spread.median > MOST_SYSTEM_SHARE
        if spread is not None and high and _work(pair) is not Work.KERNEL:
            yield _system_share(pair, (runs, spread), here, there)
            return
    if here is not None and there is not None and there.median > max(2 * here.median, LEAST_SYSTEM_SHARE):
        yield _system_share(pair, (pair.treatment, there), here, there)


def _work(pair: Pair) -> Work | None:
    """Return what a workload claims of the machine, where its purpose says it."""
    from assay.workloads import measured_by  # likewise

    found = measured_by(pair.workload.parser)
    return None if found is None else found.work


def _system_share(pair: Pair, high: tuple[Runs, Spread], here: Spread | None, there: Spread | None) -> Raised:
    runs, spread = high
    known = [(one.label, own.median) for one, own in zip(pair.arms, (here, there), strict=True) if own]
    return raised(
        "system-share",
        workload=pair.workload.name,
        arm=runs.label,
        share=spread,
        arms=tuple(known) if len(known) > 1 else (),
    )
