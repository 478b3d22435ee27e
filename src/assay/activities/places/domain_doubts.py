"""In what a guest that somebody else made and its baseline are not alike: nobody made them so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.factors.base.number_lists import spell_numbers
from assay.model.activity import PlannedArm
from assay.model.doubt import Doubt
from assay.model.machines.machine import Facts
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import Platform
from assay.model.units import format_bytes


def alike_doubts(
    wanted: DomainSpec, platform: Platform, baseline: PlannedArm, here: Facts, disk: Path | None
) -> Iterator[Doubt]:
    """Yield what stands between a domain and its baseline.

    Args:
        wanted: The domain.
        platform: It as found.
        baseline: The baseline's arm.
        here: Facts of the baseline's machine.
        disk: The file that its disk lies in; ``None`` where it is none.
    """
    yield _beside(wanted)
    if not wanted.local:
        yield _elsewhere(wanted, here)
    yield from _processors(wanted, platform, baseline)
    if platform.memory_bytes > here.memory_bytes:
        sentence = (
            f"Domain {wanted.name} has {format_bytes(platform.memory_bytes)} of memory, "
            f"{here.hostname} {format_bytes(here.memory_bytes)}: the baseline has less."
        )
        yield Doubt("domain-memory", sentence)
    yield _disk(wanted, platform, disk)


def _beside(wanted: DomainSpec) -> Doubt:
    sentence = (
        f"Domain {wanted.name} is used as it was found: it runs during the baseline's trials, too, and is not "
        "booted for a visit. What else runs in it, and what its page cache holds, is in the figures."
    )
    return Doubt("domain-as-found", sentence)


def _elsewhere(wanted: DomainSpec, here: Facts) -> Doubt:
    sentence = (
        f"Domain {wanted.name} is carried by {wanted.hypervisor}, the baseline is {here.hostname}: the loss holds "
        "the difference of two machines as well as the platform's."
    )
    return Doubt("domain-elsewhere", sentence)


def _processors(wanted: DomainSpec, platform: Platform, baseline: PlannedArm) -> Iterator[Doubt]:
    given = baseline.limits.cpus
    if platform.vcpus != len(given):
        sentence = (
            f"Domain {wanted.name} has {platform.vcpus} vCPUs, the baseline can have {len(given)} processors."
        )
        yield Doubt("domain-processors", sentence)
    if wanted.local and platform.cpus != given:
        sentence = (
            f"QEMU's threads of domain {wanted.name} may run on processors {spell_numbers(platform.cpus)}, "
            f"the baseline's job on {spell_numbers(given)}."
        )
        yield Doubt("domain-not-confined", sentence)


def _disk(wanted: DomainSpec, platform: Platform, disk: Path | None) -> Doubt:
    lies = f"lies in {disk}" if disk else "is no file that is told"
    made = platform.disk_format or "format not told"
    cache = platform.disk_cache or "not told"
    sentence = (
        f"The disk of domain {wanted.name} {lies} ({made}, cache mode {cache}): whether it is on the same storage as "
        "the baseline's is not known, and nothing of it is evicted from its host's memory for a cold start."
    )
    return Doubt("domain-disk", sentence)
