"""What a guest that somebody else made was, in sentences: as far as its hypervisor tells without being changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.factors.base.number_lists import spell_numbers
from assay.model.activity import ActivityPlan
from assay.model.platforms.platform import Platform
from assay.model.trial import Trial
from assay.model.units import format_bytes


def domain_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield what the domain was at its first visit, and whether it was the same at the last."""
    wanted, seen = plan.treatment.domain, [record.platform for record in records if record.platform]
    if wanted is None or not seen:
        return
    yield (
        f"{plan.treatment.label} on {wanted.hypervisor}: it was there already, was used as it is and left so; the machine "
        "that was reached is that domain by its UUID or a hardware address of it."
    )
    yield _made(seen[0])
    yield (
        "Read from libvirt without a word to QEMU's monitor, which would mark the domain: settings that neither its "
        "XML nor the kernel shows are not told."
    )
    yield from _weighed(records)
    if len({_same(platform) for platform in seen}) > 1:
        yield "It was changed by others between its visits: the records tell what it was at each."


def _made(platform: Platform) -> str:
    disk = f"{platform.disk_format or 'a format not reported'} with cache mode {platform.disk_cache or 'not reported'}"
    cpus = spell_numbers(platform.cpus) or "not told"
    return (
        f"Its hypervisor is {platform.hypervisor} by {platform.library}, accelerator {platform.accelerator}, machine "
        f"{platform.machine}, CPU model {platform.cpu_model}, {platform.vcpus} vCPU, "
        f"{format_bytes(platform.memory_bytes)}; its first disk is {disk}; host processors: {cpus}."
    )


def _weighed(records: Sequence[Trial]) -> Iterator[str]:
    """Say what its last trial's weight was: one boot is one sample, and has no interval."""
    weighed = [record for record in records if record.weight is not None]
    if weighed and (weight := max(weighed, key=lambda record: record.ended_ns).weight):
        yield (
            f"At the end of its last trial QEMU held {format_bytes(weight.beside_bytes)} beside the guest's memory, of "
            f"which the guest had touched {format_bytes(weight.touched_bytes)} of {format_bytes(weight.memory_bytes)}; "
            f"its disk took {format_bytes(weight.disk_bytes)}."
        )


def _same(platform: Platform) -> tuple[object, ...]:
    return platform.vcpus, platform.memory_bytes, platform.cpu_model, platform.disk_cache, platform.cpus
