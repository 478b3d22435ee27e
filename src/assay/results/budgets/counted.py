"""The figures of both arms that stand beside a budget, and from which causes are named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean

from assay.explain.cpu import Work
from assay.explain.evidence import Seen
from assay.explain.others import others_s
from assay.model.machines.machine import Limits
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import Usage
from assay.pages.budget import CountedFigure
from assay.results.budgets.shares import shares
from assay.results.budgets.spent import Spent

USAGE = {
    "throttled_s": ("held back by a CPU quota", "s"),
    "memory_limit_hits": ("memory limit hit", ""),
    "major_faults": ("page faults that waited for storage", ""),
    "minor_faults": ("other page faults", ""),
    "voluntary_switches": ("context switches to wait", ""),
    "involuntary_switches": ("context switches for others", ""),
    "read_bytes": ("read from storage", "B"),
    "write_bytes": ("written to storage", "B"),
    "logical_read_bytes": ("asked of the kernel", "B"),
    "logical_write_bytes": ("given to the kernel", "B"),
}
"""Fields of ``Usage`` by their name for people and their unit."""
HYPERVISOR = {
    "vcpu_s": ("CPU of QEMU's vCPU threads", "s"),
    "other_s": ("CPU of QEMU's other threads", "s"),
    "exits": ("exits from the guest", ""),
    "page_table_faults": ("faults in its second page tables", ""),
    "tlb_flushes": ("flushes of its translations", ""),
    "vcpu_migrations": ("migrations of QEMU's vCPU threads", ""),
}
"""Fields of ``HypervisorCpu`` by their name for people and their unit."""
OWN = ("job", "processors")
"""Who tells of no other job's I/O wait."""
CLOCK = "task-clock"
"""Counts ns."""


def read_limit_bytes_per_s(limits: Limits) -> int | None:
    """Return the most that a trial may read from all of its disks together; ``None`` is "any"."""
    return limits.read_bytes_per_s and limits.read_bytes_per_s * max(1, len(limits.disks))


def seen(label: str, arm: Sequence[Spent], *, parallelism: int, threads: int) -> Seen:
    """Return the means of an arm's trials, for the same work.

    Args:
        label: Name of the arm for sentences.
        arm: Its trials, at least one.
        parallelism: Processors that the job uses at once.
        threads: Its copies times threads, as far as the scene tells.
    """
    limits, platform = arm[0].trial.limits, arm[0].trial.platform
    return Seen(
        label=label,
        wall_s=fmean(sum(one.times.values()) for one in arm),
        cpus=len(limits.cpus or arm[0].trial.facts.cpus),
        parallelism=parallelism,
        quota=limits.cpu_quota,
        memory_bytes=limits.memory_bytes,
        accelerator=platform.accelerator if platform else None,
        throttled_s=_usage(arm, "throttled_s"),
        limit_hits=_usage(arm, "memory_limit_hits"),
        major_faults=_usage(arm, "major_faults"),
        minor_faults=_usage(arm, "minor_faults"),
        read_bytes=_usage(arm, "read_bytes"),
        write_bytes=_usage(arm, "write_bytes"),
        logical_bytes=_sum(_usage(arm, "logical_read_bytes"), _usage(arm, "logical_write_bytes")),
        steal_s=_mean(arm, _away),
        waits=_usage(arm, "voluntary_switches"),
        work=mean_work(arm),
        vcpu_s=_mean(arm, partial(_hypervisor, field="vcpu_s")),
        other_s=_mean(arm, partial(_hypervisor, field="other_s")),
        exits=_mean(arm, partial(_hypervisor, field="exits")),
        threads=threads,
        others_s=_mean(arm, lambda one: others_s(one.trial)),
        read_limit=read_limit_bytes_per_s(limits),
        io_known=all(one.reported.io in OWN for one in arm),
        queue_known=all(one.reported.queue == "job" for one in arm),
        vcpu_wait_s=_mean(arm, _vcpu_wait),
    )


def mean_work(trials: Sequence[Spent]) -> Work | None:
    """Return the mean instructions, cycles and task-clock of trials; ``None`` where one was not counted."""
    means = [_count(trials, name) for name in ("instructions", "cycles", CLOCK)]
    known = [mean for mean in means if mean]
    return Work(known[0], known[1], known[2] / 1e9) if len(known) == len(means) else None


def counted_figures(base: Sequence[Spent], treated: Sequence[Spent]) -> tuple[CountedFigure, ...]:
    """Return what else was counted on either arm, means over its trials for the same work."""
    return tuple(
        CountedFigure(name, unit, here, there)
        for name, unit, here, there in _figures(base, treated)
        if here is not None or there is not None
    )


def _figures(
    base: Sequence[Spent], treated: Sequence[Spent]
) -> Iterator[tuple[str, str, float | None, float | None]]:
    yield from shares(base, treated)
    for field, (name, unit) in USAGE.items():
        yield name, unit, _usage(base, field), _usage(treated, field)
    yield "stolen by a hypervisor", "s", _mean(base, _steal), _mean(treated, _steal)
    counters = dict.fromkeys(count.name for one in (*base, *treated) for count in one.trial.counts)
    for counter in counters:
        unit, factor = ("s", 1e-9) if counter == CLOCK else ("", 1.0)
        yield counter, unit, _times(_count(base, counter), factor), _times(_count(treated, counter), factor)
    for field, (name, unit) in HYPERVISOR.items():
        read = partial(_hypervisor, field=field)
        yield name, unit, _mean(base, read), _mean(treated, read)
    yield "vCPUs waited for a processor", "s", _mean(base, _vcpu_wait), _mean(treated, _vcpu_wait)


def _hypervisor(one: Spent, field: str) -> float | None:
    return _field(one.trial.hypervisor_cpu, field)


def _usage(arm: Sequence[Spent], field: str) -> float | None:
    return _mean(arm, lambda one: _field(one.trial.usage, field))


def _field(usage: Usage | HypervisorCpu | None, field: str) -> float | None:
    value = getattr(usage, field, None)
    return None if value is None else float(sum(value) if isinstance(value, tuple) else value)


def _count(arm: Sequence[Spent], name: str) -> float | None:
    return _mean(arm, lambda one: next((c.value for c in one.trial.counts if c.name == name), None))


def _steal(one: Spent) -> float | None:
    usage = one.trial.usage
    if usage is None or usage.steal_s is not None:
        return None if usage is None else usage.steal_s
    start = one.meters.first_ns
    return one.meters.of_machine("machine_steal_s", start, start + round(usage.wall_s * 1e9))


def _away(one: Spent) -> float | None:
    """Return what was taken from a job's processors: steal, and what its guest took for CPU time."""
    stolen, hidden = _steal(one), one.reported.hidden_s
    return stolen if not hidden else (stolen or 0.0) + hidden


def _vcpu_wait(one: Spent) -> float | None:
    return one.reported.vcpu_wait_s


def _mean(arm: Sequence[Spent], figure: Callable[[Spent], float | None]) -> float | None:
    """Return the mean of a figure for the same work; ``None`` where a trial does not tell it."""
    values = [figure(one) for one in arm]
    known = [value * one.scale for value, one in zip(values, arm, strict=True) if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
