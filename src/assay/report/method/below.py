"""What lies below the machines of a result: hypervisors that they recognised from inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.pages.method.place import Below

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
