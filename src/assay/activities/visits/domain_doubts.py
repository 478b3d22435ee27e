"""In what a guest that somebody else made and its baseline are not alike: nobody made them so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.model.activity import PlannedArm
from assay.model.doubt import Raised, raised
from assay.model.machines.machine import Facts
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import Platform


def alike_doubts(
    wanted: DomainSpec, platform: Platform, baseline: PlannedArm, here: Facts, disk: Path | None
) -> Iterator[Raised]:
    """Yield what stands between a domain and its baseline.

    Args:
        wanted: The domain.
        platform: It as found.
        baseline: The baseline's arm.
        here: Facts of the baseline's machine.
        disk: The file that its disk lies in; ``None`` where it is none.
    """
    yield raised("domain-as-found", domain=wanted.name)
    if not wanted.local:
        yield raised(
            "domain-elsewhere", domain=wanted.name, hypervisor=wanted.hypervisor, hostname=here.hostname
        )
    yield from _processors(wanted, platform, baseline)
    if platform.memory_bytes > here.memory_bytes:
        yield raised(
            "domain-memory",
            domain=wanted.name,
            memory_bytes=platform.memory_bytes,
            hostname=here.hostname,
            baseline_bytes=here.memory_bytes,
        )
    yield _disk(wanted, platform, disk)


def _processors(wanted: DomainSpec, platform: Platform, baseline: PlannedArm) -> Iterator[Raised]:
    given = baseline.limits.cpus
    if platform.vcpus != len(given):
        yield raised("domain-processors", domain=wanted.name, vcpus=platform.vcpus, processors=len(given))
    if wanted.local and platform.cpus != given:
        yield raised("domain-not-confined", domain=wanted.name, cpus=platform.cpus, baseline_cpus=given)


def _disk(wanted: DomainSpec, platform: Platform, disk: Path | None) -> Raised:
    return raised(
        "domain-disk",
        domain=wanted.name,
        file=str(disk) if disk else None,
        image_format=platform.disk_format,
        cache=platform.disk_cache,
    )
