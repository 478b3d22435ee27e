"""What a guest that somebody else made was, in sentences: as far as its hypervisor tells without being
changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.factors.base.number_lists import spell_numbers
from assay.model.platforms.platform import GuestWeight, Platform
from assay.model.units import format_bytes
from assay.pages.method.place import Domain


def domain_sentences(domain: Domain | None) -> Iterator[str]:
    """Yield what the domain was at its first visit, and whether it was the same at the last."""
    if domain is None:
        return
    yield (
        f"{domain.label} on {domain.hypervisor}: it was there already, was used as it is and "
        "left so; the machine that was reached is that domain by its UUID or a hardware address of it."
    )
    yield _made(domain.platform)
    yield (
        "Read from libvirt without a word to QEMU's monitor, which would mark the domain: "
        "settings that neither its XML nor the kernel shows are not told."
    )
    if domain.weight is not None:
        yield _weighed(domain.weight)
    if domain.changed:
        yield "It was changed by others between its visits: the records tell what it was at each."


def _made(platform: Platform) -> str:
    disk = (
        f"{platform.disk_format or 'a format not told'} with cache mode {platform.disk_cache or 'not told'}"
    )
    cpus = spell_numbers(platform.cpus) or "not told"
    return (
        f"Its hypervisor is {platform.hypervisor} by {platform.library}, accelerator "
        f"{platform.accelerator}, machine "
        f"{platform.machine}, CPU model {platform.cpu_model}, {platform.vcpus} vCPU, "
        f"{format_bytes(platform.memory_bytes)}; its first disk is {disk}; host processors: {cpus}."
    )


def _weighed(weight: GuestWeight) -> str:
    return (
        f"At the end of its last trial QEMU held {format_bytes(weight.beside_bytes)} beside the "
        f"guest's memory, of which the guest had touched {format_bytes(weight.touched_bytes)} of "
        f"{format_bytes(weight.memory_bytes)}; its disk took {format_bytes(weight.disk_bytes)}."
    )
