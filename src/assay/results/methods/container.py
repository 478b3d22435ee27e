"""What the containers of a result were, in sentences: as the kernel showed them after their start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from assay.model.activity import ActivityPlan
from assay.model.platforms.container import Container, Runtime
from assay.model.trial import Trial
from assay.model.units import format_bytes

ANSWERS = {
    "host": "the machine's own kernel",
    "gVisor": "gVisor's kernel",
    "Linux": "a Linux kernel of its own",
}


def container_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield what the container of each arm was, and what it used beside its jobs."""
    for arm in plan.arms:
        ours = [record for record in records if record.container and plan.arm_of(record.planned) is arm]
        kinds = dict.fromkeys(replace(r.container, cpu_s=None, group=None) for r in ours if r.container)
        for kind in kinds:
            yield _one(arm.label, kind)
        yield from _beside(arm.label, ours)


def _one(label: str, seen: Container) -> str:
    parts = [seen.version, f"system calls answered by {ANSWERS.get(seen.kernel, seen.kernel)}"]
    if seen.platform is not None:
        parts.append(f"caught by {seen.platform}")
    own = (
        f"namespaces of its own: {', '.join(seen.isolated)}"
        if seen.isolated
        else "in this machine's namespaces"
    )
    cpus = ", ".join(map(str, seen.cpus))
    parts += [own, f"every thread on core{'s' if len(seen.cpus) > 1 else ''} {cpus}"]
    if seen.memory_bytes is not None:
        parts.append(f"{format_bytes(seen.memory_bytes)} of memory")
    if seen.cpu_quota is not None:
        parts.append(f"a CPU quota of {100 * seen.cpu_quota:.4g}%")
    return f"{label}: {'; '.join(parts)}; the machine's files, read-only but for one folder; made afresh in each visit."


def _beside(label: str, ours: Sequence[Trial]) -> Iterator[str]:
    """Say what gVisor's or a kernel's own processes cost beyond what the job was told that it used."""
    known = [
        (r.container.cpu_s, r.usage.user_s + r.usage.system_s)
        for r in ours
        if r.container
        and r.container.runtime in {Runtime.RUNSC, Runtime.UML}
        and r.container.cpu_s
        and r.usage
    ]
    if known:
        whole, reported = (fmean(values) for values in zip(*known, strict=True))
        yield f"{label}: {whole:.2f} s of CPU a trial by the machine, {reported:.2f} s by the count inside it."
