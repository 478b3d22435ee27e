"""What the guests of a result were, in sentences: as read back from outside, and the settings seen in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.factors.base.filesystems import in_memory
from assay.model.activity import ActivityPlan
from assay.model.machines.machine import Reach
from assay.model.platforms.platform import Platform
from assay.model.trial import Trial
from assay.model.units import format_bytes

Cores = tuple[tuple[str, tuple[int, ...]], ...]
"""Each of several guests with the host cores of its QEMU process; empty for one guest."""


def guest_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield what the guest of each arm was; those that are alike are told once."""
    first: dict[str, tuple[Platform, Cores]] = {}
    for record in sorted(records, key=lambda record: (record.planned.arm, record.planned.level)):
        if record.platform is not None:
            cores = tuple((one.name, one.cpus) for one in record.members)
            first.setdefault(plan.arm_of(record.planned).label, (_made(record.platform), cores))
    alike: dict[tuple[Platform, Cores], list[str]] = {}
    for label, made in first.items():
        alike.setdefault(made, []).append(label)
    beside = "" if plan.baseline.guest else "; no guest ran during a host trial"
    machine = plan.baseline.machine
    far = None if machine.reach is Reach.LOCAL else machine.name
    for (platform, cores), labels in alike.items():
        yield from _one(" and ".join(labels), platform, beside, cores=cores, far=far)
    if alike and (kvm := next(iter(alike))[0]).accelerator == "kvm":
        yield f"KVM was chosen because {kvm.why}."


def _made(platform: Platform) -> Platform:
    """Return a guest without what every boot has of its own."""
    restored = platform.restored and replace(platform.restored, clock=None)
    return replace(platform, domain_xml="", restored=restored)


def _one(label: str, platform: Platform, beside: str, *, cores: Cores, far: str | None) -> Iterator[str]:
    yield (
        f"{label}: {platform.hypervisor} by {platform.library}, accelerator {platform.accelerator}, machine "
        f"{platform.machine}, CPU model {platform.cpu_model}, {platform.vcpus} vCPU, "
        f"{format_bytes(platform.memory_bytes)}{_on_cores(platform, cores)}; {_start(platform)}{beside}."
    )
    yield (
        f"{'The disk of each' if cores else 'Its disk'} is {platform.disk_format} with cache mode {platform.disk_cache}, "
        f"{_place(platform, far)}; its image is {platform.image}."
    )
    if platform.factors:
        reported = "; ".join(f"{one.name} {one.level} ({one.how})" for one in platform.factors)
        whose = "The first guest's" if cores else "Its"
        yield f"{whose} settings, seen in force from outside before its first trial: {reported}."


def _on_cores(platform: Platform, cores: Cores) -> str:
    """Say where QEMU runs; of several guests, which are alike but for their cores, where each one does."""
    if not cores:
        return f"; the whole QEMU process on host {_core(platform.cpus)}"
    guests: dict[tuple[int, ...], list[str]] = {}
    for name, cpus in cores:
        guests.setdefault(cpus, []).append(name)
    if len(guests) == 1:
        return f" each; the whole QEMU process of each on host {_core(cores[0][1])}"
    reported = "; ".join(f"{_core(cpus)} ({', '.join(names)})" for cpus, names in guests.items())
    return f" each; the whole QEMU process of each on host {reported}"


def _core(cpus: Sequence[int]) -> str:
    return f"core{'s' if len(cpus) > 1 else ''} {', '.join(map(str, cpus))}"


def _start(platform: Platform) -> str:
    if platform.restored is None:
        return "booted afresh in each visit"
    state = platform.restored.state
    return f"restored in each visit from the saved state {state}, its clock set and checked"


def _place(platform: Platform, far: str | None) -> str:
    if far is not None:
        return f"in a folder of its own on {far}, where it was made by libvirt over SSH"
    own = [one.level for one in platform.factors if one.name == "disk.host-filesystem"]
    if not own:
        return "on the file system that the host's trials use"
    memory = in_memory(own[0])
    lies = "in the host's memory" if memory else "in loop files on the one that the host's trials use"
    return f"on a file system of its own ({own[0]}, {lies})"
