"""What a guest sees its disk as."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Effect, Factor
from assay.factors.base.levels import Words
from assay.factors.base.versions import no_device, too_old
from assay.factors.disk import seen as disk_seen

_TARGETS = {"virtio": "vda", "scsi": "sda", "sata": "sda", "ide": "hda", "usb": "sda", "nvme": "nvme0n1"}
_KINDS = (
    # (device, a device above it, bus), from QEMU's names of devices
    ("virtio-blk-device", "virtio-blk-pci", "virtio"),
    ("scsi-hd", "virtio-scsi-device", "scsi"),
    ("scsi-hd", "usb-storage", "usb"),
    ("ide-hd", "ich9-ahci", "sata"),
    ("ide-hd", "piix3-ide", "ide"),
    ("nvme", "nvme", "nvme"),
    ("nvme-ns", "nvme", "nvme"),
)


def _bus(draft: Draft, level: str) -> None:
    draft.at("devices/disk/target", dev=_TARGETS[level], bus=level)
    if level == "scsi":
        draft.add("devices/controller", type="scsi", index="0", model="virtio-scsi")
    elif level == "usb":
        draft.drop("devices/controller[@type='usb']")
        draft.add("devices/controller", type="usb", index="0", model="qemu-xhci")
    elif level == "ide":
        draft.at("os/type", machine="pc")  # q35 has no IDE
    elif level == "nvme":
        draft.at("devices/disk/serial").text = "assay"  # QEMU starts no NVMe disk without one


def _actual_bus(seen: Evidence, _wanted: str) -> str:
    device = disk_seen.device(seen)
    if device is None:
        return "no device has the disk"
    above = [one.kind for one in device.up]
    buses = (bus for kind, over, bus in _KINDS if device.kind == kind and over in above)
    return next(buses, " on ".join(above[:3]))


def _needs_bus(host: Host, level: str | None) -> str | None:
    return too_old(host, libvirt=(11, 5, 0)) or no_device(host, "nvme") if level == "nvme" else None


FACTORS = (
    Factor(
        "disk.bus",
        "what the guest sees its disk as",
        Words(("virtio", "scsi", "sata", "ide", "usb", "nvme")),
        "virtio",
        "devices/disk/target/@bus; scsi: devices/controller/@model='virtio-scsi'",
        "HMP info qtree, the disk's device and what it hangs on",
        _actual_bus,
        edit=_bus,
        needs=_needs_bus,
        effects=(
            Effect(
                "ide 2,532, virtio 6,489, scsi 7,800, nvme 8,317 IOPS",
                "random reads at depth 16 of an empty device, emulated guest",
                "QEMU 7.2 on two cores",
            ),
        ),
        note="ide makes the machine pc, since q35 has no IDE; the guest's kernel must have the "
        "driver: Debian's cloud kernel, which assay's image has, lacks those for sata and usb, its full one "
        "(linux-image-amd64) has them",
    ),
)
