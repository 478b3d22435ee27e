"""Where a guest finds its root disk, and by which driver, whatever the bus it is on."""

from __future__ import annotations

from dataclasses import dataclass

from assay.platforms.errors import PlatformError


@dataclass(frozen=True)
class RootDisk:
    """A root disk on one bus.

    Attributes:
        device: Its file in the guest.
        modules: Drivers to load for it, beside those that every guest loads.
    """

    device: str
    modules: tuple[str, ...] = ()


ROOT_DISKS = {
    "virtio": RootDisk("/dev/vda"),
    "scsi": RootDisk("/dev/sda", ("virtio_scsi", "sd_mod")),
    "ide": RootDisk("/dev/sda", ("ata_piix", "sd_mod")),
    "nvme": RootDisk("/dev/nvme0n1", ("nvme",)),
}
"""By ``disk.bus``. Debian's cloud kernel has no driver for AHCI (sata) and none for USB."""

CARRIED_MODULES = tuple(sorted({name for disk in ROOT_DISKS.values() for name in disk.modules}))
"""Drivers that the initrd holds and loads only where the kernel's command line says ``assay.module=NAME``."""


def root_words(bus: str) -> tuple[str, ...]:
    """Return the words that tell a guest's kernel and initrd of its root disk; none for virtio.

    Raises:
        PlatformError: the guest's kernel has no driver for a disk on that bus.
    """
    if bus not in ROOT_DISKS:
        msg = f"cannot boot a guest from disk.bus={bus}: Debian's cloud kernel, which it runs, has no driver for that"
        raise PlatformError(msg, hint=f"disk.bus={', '.join(ROOT_DISKS)}")
    disk = ROOT_DISKS[bus]
    if bus == "virtio":
        return ()
    return (f"root={disk.device}", *(f"assay.module={name}" for name in disk.modules))
