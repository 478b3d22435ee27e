"""In what a guest that somebody else made and its baseline are not alike: nobody made them so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.factors.base.number_lists import spell_numbers
from assay.model.activity import Side
from assay.model.doubt import Doubt
from assay.model.machines.machine import Facts
from assay.model.platforms.existing import DomainWish
from assay.model.platforms.platform import Platform
from assay.model.units import format_bytes


def alike_doubts(
    wish: DomainWish, platform: Platform, baseline: Side, here: Facts, disk: Path | None
) -> Iterator[Doubt]:
    """Yield what stands between a domain and its baseline.

    Args:
        wish: The domain.
        platform: It as found.
        baseline: The baseline's arm.
        here: Facts of the baseline's machine.
        disk: The file that its disk lies in; ``None`` where it is none.
    """
    yield _beside(wish)
    if not wish.local:
        yield _elsewhere(wish, here)
    yield from _processors(wish, platform, baseline)
    if platform.memory_bytes > here.memory_bytes:
        sentence = (
            f"Domain {wish.name} has {format_bytes(platform.memory_bytes)} of memory, "
            f"{here.hostname} {format_bytes(here.memory_bytes)}: the baseline has less."
        )
        yield Doubt("domain-memory", sentence)
    yield _disk(wish, platform, disk)


def _beside(wish: DomainWish) -> Doubt:
    sentence = (
        f"Domain {wish.name} is used as it was found: it runs during the baseline's trials, too, and is not "
        "booted for a visit. What else runs in it, and what its page cache holds, is in the figures."
    )
    return Doubt("domain-as-found", sentence)


def _elsewhere(wish: DomainWish, here: Facts) -> Doubt:
    sentence = (
        f"Domain {wish.name} is carried by {wish.hypervisor}, the baseline is {here.hostname}: the loss holds "
        "the difference of two machines as well as the platform's."
    )
    return Doubt("domain-elsewhere", sentence)


def _processors(wish: DomainWish, platform: Platform, baseline: Side) -> Iterator[Doubt]:
    given = baseline.limits.cpus
    if platform.vcpus != len(given):
        sentence = (
            f"Domain {wish.name} has {platform.vcpus} vCPUs, the baseline can have {len(given)} processors."
        )
        yield Doubt("domain-processors", sentence)
    if wish.local and platform.cpus != given:
        sentence = (
            f"QEMU's threads of domain {wish.name} may run on processors {spell_numbers(platform.cpus)}, "
            f"the baseline's job on {spell_numbers(given)}."
        )
        yield Doubt("domain-not-confined", sentence)


def _disk(wish: DomainWish, platform: Platform, disk: Path | None) -> Doubt:
    lies = f"lies in {disk}" if disk else "is no file that is told"
    made = platform.disk_format or "format not told"
    cache = platform.disk_cache or "not told"
    sentence = (
        f"The disk of domain {wish.name} {lies} ({made}, cache mode {cache}): whether it is on the same storage as "
        "the baseline's is not known, and nothing of it is evicted from its host's memory for a cold start."
    )
    return Doubt("domain-disk", sentence)
