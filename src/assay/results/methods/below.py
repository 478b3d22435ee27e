"""What lies below the machines of a result: hypervisors that they recognised from inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial

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


def below_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield which hypervisor each arm's machine runs on, where one is seen."""
    first: dict[str, str] = {}
    for record in records:
        if record.below is not None:
            first.setdefault(plan.arm_of(record.planned).label, record.below)
    for label, name in first.items():
        yield f"{label} runs on {NAMES.get(name, name)}, which it sees from inside."
