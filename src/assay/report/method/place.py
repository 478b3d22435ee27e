"""Where the trials of a result ran, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.pages.method.place import Below, ClocksSeen, EmulatorCost, Place, PluginPlaces
from assay.report.method.container import container_sentences
from assay.report.method.domain import domain_sentences
from assay.report.method.guest import guest_sentences
from assay.report.method.layout import layout_sentences
from assay.report.method.machine import machine_sentences, together_sentences


def place_sentences(place: Place) -> Iterator[str]:
    """Yield what the treatments were, and what is known of them from outside."""
    yield from domain_sentences(place.domain)
    yield from guest_sentences(place.guests)
    yield from layout_sentences(place.layouts)
    yield from container_sentences(place.containers)
    yield from plugin_sentences(place.plugins)
    yield from machine_sentences(place.machines)
    yield from together_sentences(place.together)
    yield from below_sentences(place.below)
    yield from emulator_sentences(place.emulators)
    yield from clock_sentences(place.clocks)


def plugin_sentences(arms: Iterable[PluginPlaces]) -> Iterator[str]:
    """Yield what the places of other kinds than assay's own were, as they saw them."""
    for arm in arms:
        for seen in arm.kinds:
            levels = ", ".join(f"{name} {level}" for name, level in seen.levels)
            in_force = f"; seen in force: {levels}" if levels else ""
            yield (
                f"{arm.label}: {seen.title}, {seen.version}, a place of kind '{seen.kind}'{in_force}; "
                "made afresh in each visit."
            )


NAMES = {
    "acrn": "ACRN",
    "amazon-ec2": "Amazon EC2's hypervisor",
    "bhyve": "bhyve",
    "google": "Google's hypervisor",
    "hyper-v": "Microsoft Hyper-V",
    "kvm": "KVM",
    "qemu": "QEMU",
    "qemu-tcg": "QEMU's emulator",
    "user-mode-linux": "user-mode Linux",
    "virtualbox": "VirtualBox",
    "vmware": "VMware",
    "xen": "Xen",
}
"""Names for people of what ``virtualisation.hypervisor`` of the facts may be; others stand as they are."""


def below_sentences(below: Iterable[Below]) -> Iterator[str]:
    """Yield which hypervisor each arm's machine runs on, where one is seen."""
    for one in below:
        yield f"{one.label} runs on {NAMES.get(one.hypervisor, one.hypervisor)}, which it sees from inside."


def emulator_sentences(arms: Iterable[EmulatorCost]) -> Iterator[str]:
    """Yield what the QEMU process of each arm took beside its vCPUs."""
    for arm in arms:
        whose = f" of {arm.label}" if arm.several else ""
        shares = ", ".join(f"{workload} {spent_s:.2f} s" for workload, spent_s in arm.workloads)
        yield f"CPU of the QEMU process{whose} outside its vCPUs, a trial: {shares}."


def clock_sentences(clocks: ClocksSeen | None) -> Iterator[str]:
    """Yield how far a guest's or a container's clock was off."""
    if clocks is not None:
        yield (
            f"The {'guest' if clocks.of_guests else 'container'}'s clock against the host's, "
            f"before and after each trial: rate off by at most {clocks.rate - 1:+.3%}, offset at most "
            f"{clocks.offset_s * 1e3:+.1f} ms, known to {clocks.uncertainty_s * 1e3:.1f} ms."
        )
