"""What the guests of a result were, in sentences: as read back from outside, and the settings
seen in force.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.factors.base.filesystems import in_memory
from assay.model.platforms.platform import Platform
from assay.model.units import format_bytes
from assay.pages.method.place import Cores, GuestKind, Guests
from assay.report.method.settings import settings_text


def guest_sentences(guests: Guests | None) -> Iterator[str]:
    """Yield what the guest of each arm was; those that are alike are told once."""
    if guests is None:
        return
    beside = "; no guest ran during a host trial" if guests.against_host else ""
    for kind in guests.kinds:
        yield from _one(kind, beside)
    if (kvm := guests.kinds[0].platform).accelerator == "kvm":
        yield f"KVM was chosen because {kvm.why}."


def _one(kind: GuestKind, beside: str) -> Iterator[str]:
    platform, cores = kind.platform, kind.cores
    yield (
        f"{' and '.join(kind.labels)}: {platform.hypervisor} by {platform.library}, accelerator "
        f"{platform.accelerator}, "
        f"machine {platform.machine}, CPU model {platform.cpu_model}, {platform.vcpus} vCPU, "
        f"{format_bytes(platform.memory_bytes)}{_on_cores(platform, cores)}; {_start(platform)}{beside}."
    )
    yield (
        f"{'The disk of each' if cores else 'Its disk'} is {platform.disk_format} with cache "
        f"mode {platform.disk_cache}, {_place(platform, kind.far)}; its image is {platform.image}."
    )
    if platform.factors:
        whose = "The first guest's" if cores else "Its"
        reported = settings_text(platform.factors)
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
    if placed := [one.level for one in platform.factors if one.name == "disk.place"]:
        return f"on {placed[0]}, a place of the site"
    own = [one.level for one in platform.factors if one.name == "disk.host-filesystem"]
    if not own:
        return "on the file system that the host's trials use"
    memory = in_memory(own[0])
    lies = "in the host's memory" if memory else "in loop files on the one that the host's trials use"
    return f"on a file system of its own ({own[0]}, {lies})"
