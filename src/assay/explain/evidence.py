"""What the figures of both arms say beside their times."""

from __future__ import annotations

from dataclasses import dataclass

from assay.explain.budget import Budget
from assay.explain.cpu import Work
from assay.explain.split import Category


@dataclass(frozen=True)
class Seen:
    """Means over an arm's trials, for the same work on both arms; ``None`` is "not told".

    Attributes:
        label: Name of the arm for sentences.
        wall_s: Seconds of wall time.
        cpus: Processors that the job was confined to.
        parallelism: Processors that the job uses at once.
        quota: Share of the processors' time that it was allowed; ``None`` is "all".
        memory_bytes: Limit on its memory; ``None`` is "none".
        accelerator: ``kvm`` or ``tcg`` in a guest; ``None`` outside one.
        throttled_s: Seconds that it stood still for its quota.
        limit_hits: Times that it ran into its memory limit.
        major_faults: Page faults that waited for storage.
        minor_faults: Page faults without storage.
        read_bytes: Bytes fetched from storage.
        write_bytes: Bytes sent to storage.
        logical_bytes: Bytes asked of and given to the kernel.
        steal_s: Seconds that a hypervisor took from its processors, or from the whole machine; those in which
            its vCPUs waited are in it.
        waits: Context switches because there was nothing to do.
        work: Instructions, cycles and task-clock.
        vcpu_s: CPU seconds of the guest's vCPUs, seen from the host.
        other_s: CPU seconds of the rest of QEMU.
        exits: Times that a vCPU left the guest.
        threads: Copies times threads of the job, as far as its scene tells.
        others_s: CPU seconds of others on its processors, or of the host beside a guest.
        read_limit: Bytes a second that it may read from storage; ``None`` is "any".
        io_known: The job's own I/O wait is known; else some of it may be idle time.
        queue_known: Its own waits for a processor are known; else they are idle time.
        vcpu_wait_s: Seconds in which the guest's vCPUs waited for a processor, seen from the host.
    """

    label: str
    wall_s: float
    cpus: int = 1
    parallelism: float = 1.0
    quota: float | None = None
    memory_bytes: int | None = None
    accelerator: str | None = None
    throttled_s: float | None = None
    limit_hits: float | None = None
    major_faults: float | None = None
    minor_faults: float | None = None
    read_bytes: float | None = None
    write_bytes: float | None = None
    logical_bytes: float | None = None
    steal_s: float | None = None
    waits: float | None = None
    work: Work | None = None
    vcpu_s: float | None = None
    other_s: float | None = None
    exits: float | None = None
    threads: int = 1
    others_s: float | None = None
    read_limit: int | None = None
    io_known: bool = False
    queue_known: bool = False
    vcpu_wait_s: float | None = None

    @property
    def storage_bytes(self) -> float | None:
        """Bytes that went between the job and storage, both ways; ``None`` where a way is not told."""
        if self.read_bytes is None or self.write_bytes is None:
            return None
        return self.read_bytes + self.write_bytes


@dataclass(frozen=True)
class Case:
    """All that a rule looks at: the budget, and the figures of both arms."""

    budget: Budget
    baseline: Seen
    treatment: Seen

    def seconds(self, category: Category) -> tuple[float, float]:
        """Return the mean seconds of a category over all phases, of the baseline and of the treatment."""
        parts = [part for part in self.budget.parts if part.category is category]
        return sum(part.baseline_s for part in parts), sum(part.treatment_s for part in parts)


@dataclass(frozen=True)
class Claim:
    """A cause and the categories of time that it explains, as far as they grew."""

    code: str
    sentence: str
    next: str
    categories: tuple[Category, ...]


def grown(here: float | None, there: float | None, *, by: float, least: float) -> bool:
    """Tell whether a figure grew from the baseline to the treatment; false where either is not told.

    Args:
        here: The baseline's.
        there: The treatment's.
        by: Growth relative to the baseline that counts, 0.1 = 10 %.
        least: Growth in the figure's own unit that counts.
    """
    if here is None or there is None:
        return False
    return there - here >= max(least, by * here)


def within_tolerance(here: float | None, there: float | None, *, within: float) -> bool:
    """Tell whether two figures are the same within a share of the larger; false where either is not told."""
    if here is None or there is None:
        return False
    return abs(there - here) <= within * max(here, there)
