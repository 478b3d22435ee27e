"""Doubts about processor time: a job that waits instead of computing, or computes in the kernel."""

from __future__ import annotations

from collections.abc import Iterator

from assay.explain.sanity.runs import Pair, Runs, Spread, cpu_s, processors
from assay.explain.sanity.waits import next_of, waits_text
from assay.model.doubt import Doubt
from assay.model.trial import Trial

LEAST_EFFICIENCY = 0.7
"""Below it a job that claims the processor waits too much: published are 90 % for a healthy and 19 % for a sick one.

Source: Vamvakopoulos (2022), atlas-gen-bmk on an R6525, bare metal and guests.
"""
MOST_SYSTEM_SHARE = 0.20
"""Of a job's CPU time; event loops stay below some percent, the published anomalies lie at 23 to 96 %."""
LEAST_SYSTEM_SHARE = 0.05
"""Below this a treatment's share may be any multiple of the baseline's."""
LEAST_CPU_S = 0.5
"""Below this, ticks of 10 ms and the start of the program make up the shares."""
CPU_TOOLS = frozenset({"sysbench-cpu", "flops", "stream"})
"""Parsers of workloads that do nothing but compute: these claim the processor whatever they did."""
KERNEL_TOOLS = frozenset(
    {
        "fio",
        "iozone",
        "iozone-by-fio",
        "bonnie++",
        "iperf3",
        "netperf-tcp-stream",
        "netperf-tcp-rr",
        "netperf-tcp-crr",
        "netperf-udp-stream",
        "netperf-udp-rr",
        "tcp-rr",
        "tcp-crr",
        "udp-rr",
        "sysbench-fileio",
        "files",
        "syscall",
        "context-switch",
        "fork",
        "page-fault",
        "mmap",
    }
)
"""Parsers of workloads whose work is the kernel's: a large system share is their purpose."""


def efficiency(trial: Trial, threads: int | None = None) -> float | None:
    """Return the job efficiency, CPU time / (wall time times lanes); ``None`` where it is not known.

    Lanes are copies times threads, no more than there are processors.

    Source: the "job efficiency" of HEP accounting, printed as percent by Vamvakopoulos (2022).

    Args:
        trial: A trial that ended.
        threads: Threads of each copy; ``None`` is one.
    """
    if trial.usage is None or trial.usage.wall_s <= 0:
        return None
    wide = min(max(1, len(trial.copies)) * (threads or 1), processors(trial))
    return cpu_s(trial.usage) / (trial.usage.wall_s * wide)


def system_share(trial: Trial) -> float | None:
    """Return the kernel's share of a job's CPU time; ``None`` where there was too little of it."""
    if trial.usage is None or cpu_s(trial.usage) < LEAST_CPU_S:
        return None
    return trial.usage.system_s / cpu_s(trial.usage)


def job_efficiency(pair: Pair) -> Iterator[Doubt]:
    """Doubt arms whose job efficiency is low although the job claims the processor, with what it waited for.

    It claims it if the other arm shows that it can use it, or if computing is all that the workload does.
    """
    threads = pair.workload.placement.threads
    found = [(runs, runs.spread(lambda t: efficiency(t, threads), worst=min)) for runs in pair.arms]
    known = [(runs, spread) for runs, spread in found if spread is not None]
    computes = (
        any(spread.median >= LEAST_EFFICIENCY for _, spread in known)
        and pair.workload.parser not in KERNEL_TOOLS
    )
    low = [runs for runs, spread in known if spread.median < LEAST_EFFICIENCY]
    if not low or not (computes or pair.workload.parser in CPU_TOOLS):
        return
    shown = " and ".join(f"{spread.usual(_percent)} on {runs.label}" for runs, spread in known)
    reported = [f"{runs.label}: {words}" for runs in low if (words := waits_text(runs))]
    waited = f" ({'; '.join(reported)})" if reported else ""
    sentence = (
        f"{pair.workload.name} had a job efficiency (CPU time over wall time and lanes) of {shown}: it waited for "
        f"the rest{waited}."
    )
    yield Doubt("job-efficiency", sentence, next_of(low))


def system_cpu(pair: Pair) -> Iterator[Doubt]:
    """Doubt a job that spends much of its CPU time in the kernel, or far more so on the treatment.

    Source: the POWHEG anomaly of Vamvakopoulos (2022): 96 % system time in XFS's locks on bare metal, 23 % in guests.
    """
    here, there = (runs.spread(system_share) for runs in pair.arms)
    for runs, spread in zip(pair.arms, (here, there), strict=True):
        high = spread is not None and spread.median > MOST_SYSTEM_SHARE
        if spread is not None and high and pair.workload.parser not in KERNEL_TOOLS:
            yield Doubt("system-share", _kernel_sentence(pair, (runs, spread), here, there), PROFILE)
            return
    if here is not None and there is not None and there.median > max(2 * here.median, LEAST_SYSTEM_SHARE):
        yield Doubt("system-share", _kernel_sentence(pair, (pair.treatment, there), here, there), PROFILE)


PROFILE = (
    "Take a profile of the whole machine ('profile: {scope: machine}', as root) and look at the kernel's "
    "functions: locks of a file system show there; then move the scratch folder to another file system."
)


def _kernel_sentence(pair: Pair, high: tuple[Runs, Spread], here: Spread | None, there: Spread | None) -> str:
    runs, spread = high
    share = spread.usual(_percent)
    head = f"{share} of the CPU time of {pair.workload.name} on {runs.label} was spent in the kernel"
    if here is None or there is None:
        return f"{head}."
    both = f"{_percent(here.median)} on {pair.baseline.label}, {_percent(there.median)} on {pair.treatment.label}"
    return f"{head} ({both})."


def _percent(share: float) -> str:
    return f"{share:.0%}"
