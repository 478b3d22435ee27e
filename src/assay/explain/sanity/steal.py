"""Doubts about a guest's steal: its own kernel and its host count the same waiting."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from assay.explain.sanity.runs import Pair, Runs
from assay.model.doubt import Raised, raised

LEAST_SHARE = 0.02
"""Of the wall time; less is the kernels' ticks and what the guest waits for around its job."""


def steal_disagrees(pair: Pair) -> Iterator[Raised]:
    """Doubt guests whose steal is not the time in which their vCPUs waited for a processor of the host.

    Source: Linux, arch/x86/kvm/x86.c, ``record_steal_time``: KVM tells a guest the ``run_delay`` of its
        vCPU's thread, which is what the host's ``schedstat`` of that thread has.
    Limits: only where KVM tells steal; of the trials of an arm the one with the largest difference is named.
    """
    for runs in pair.arms:
        differences = sorted(_differences(runs))
        if differences:
            worst_s, steal_s, low, high, name = differences[-1]
            yield raised(
                "steal-disagrees",
                workload=pair.workload.name,
                arm=runs.label,
                steal_s=steal_s,
                waited_s=(low, high),
                trial=name,
                apart_s=worst_s,
                median_s=median(away_s for away_s, *_ in differences),
                trials=len(differences),
            )


def _differences(runs: Runs) -> Iterator[tuple[float, float, float, float, str]]:
    """Yield how far the two are apart in each trial, the steal, the least and the most of the wait, and its
    name.
    """
    for trial in runs.trials:
        sampled, usage = runs.sampled.get(trial.planned.name), trial.usage
        if sampled is None or sampled.vcpu_wait_s is None or usage is None or usage.steal_s is None:
            continue
        low, high = sampled.vcpu_wait_s
        away_s = max(low - usage.steal_s, usage.steal_s - high)
        if away_s > LEAST_SHARE * usage.wall_s:
            yield away_s, usage.steal_s, low, high, trial.planned.name
