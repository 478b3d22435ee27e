"""The virtio device that carries a guest's disk: its own, or the SCSI controller that it is on."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.qtree import Device

_SCSI = "controller[@type='scsi']"
WHERE = "devices/disk/driver, or that of the virtio-scsi controller,"
TREE = "HMP info qtree"


def set_driver(draft: Draft, **attributes: str) -> None:
    """Set attributes where libvirt takes them: on the disk's driver, or on that of its SCSI controller."""
    controller = draft.at("devices").find(_SCSI)
    draft.at("devices/disk/driver" if controller is None else f"devices/{_SCSI}/driver", **attributes)


def virtio_path(device: Device | None) -> str | None:
    """Return QEMU's path of a virtio device, for questions; ``None`` where there is none."""
    named = None if device is None else device.id or (device.above.id if device.above else "")
    return f"/machine/peripheral/{named}/virtio-backend" if named else None
