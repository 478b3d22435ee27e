"""In what a guest that somebody else made and its baseline are not alike: nobody made them so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.model.activity import Side
from assay.model.doubt import Raised, raised
from assay.model.machines.machine import Facts
from assay.model.platforms.existing import DomainWish
from assay.model.platforms.platform import Platform


def alike_doubts(
    wish: DomainWish, platform: Platform, baseline: Side, here: Facts, disk: Path | None
) -> Iterator[Raised]:
    """Yield what stands between a domain and its baseline.

    Args:
        wish: The domain.
        platform: It as found.
        baseline: The baseline's arm.
        here: Facts of the baseline's machine.
        disk: The file that its disk lies in; ``None`` where it is none.
    """
    yield raised("domain-as-found", domain=wish.name)
    if not wish.local:
        yield raised("domain-elsewhere", domain=wish.name, hypervisor=wish.hypervisor, hostname=here.hostname)
    yield from _processors(wish, platform, baseline)
    if platform.memory_bytes > here.memory_bytes:
        yield raised(
            "domain-memory",
            domain=wish.name,
            memory_bytes=platform.memory_bytes,
            hostname=here.hostname,
            baseline_bytes=here.memory_bytes,
        )
    yield _disk(wish, platform, disk)


def _processors(wish: DomainWish, platform: Platform, baseline: Side) -> Iterator[Raised]:
    given = baseline.limits.cpus
    if platform.vcpus != len(given):
        yield raised("domain-processors", domain=wish.name, vcpus=platform.vcpus, processors=len(given))
    if wish.local and platform.cpus != given:
        yield raised("domain-not-confined", domain=wish.name, cpus=platform.cpus, baseline_cpus=given)


def _disk(wish: DomainWish, platform: Platform, disk: Path | None) -> Raised:
    return raised(
        "domain-disk",
        domain=wish.name,
        file=str(disk) if disk else None,
        image_format=platform.disk_format,
        cache=platform.disk_cache,
    )
