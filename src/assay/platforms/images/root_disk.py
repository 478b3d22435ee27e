"""Where a guest finds its root disk, and by which driver, whatever the bus it is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from assay.platforms.errors import PlatformError


@dataclass(frozen=True)
class RootDisk:
    """A root disk on one bus.

    Attributes:
        device: Its file in the guest.
        modules: Drivers to load for it, beside those that every guest loads.
        full: Debian's cloud kernel lacks one of them, its full kernel has all.
    """

    device: str
    modules: tuple[str, ...] = ()
    full: bool = False


ROOT_DISKS = {
    "virtio": RootDisk("/dev/vda"),
    "scsi": RootDisk("/dev/sda", ("virtio_scsi", "sd_mod")),
    "ide": RootDisk("/dev/sda", ("ata_piix", "sd_mod")),
    "nvme": RootDisk("/dev/nvme0n1", ("nvme",)),
    "sata": RootDisk("/dev/sda", ("ahci", "sd_mod"), full=True),
    "usb": RootDisk("/dev/sda", ("xhci_pci", "usb_storage", "sd_mod"), full=True),
}
"""By ``disk.bus``."""


def _modules(*, full: bool) -> tuple[str, ...]:
    return tuple(sorted({name for disk in ROOT_DISKS.values() if disk.full == full for name in disk.modules}))


CARRIED_MODULES = _modules(full=False)
"""Drivers that the initrd holds and loads only where the kernel's command line says ``assay.module=NAME``."""
CARRIED_IF_THERE = tuple(name for name in _modules(full=True) if name not in CARRIED_MODULES)
"""The same, where the kernel has them."""


def root_words(bus: str, *, full: bool) -> tuple[str, ...]:
    """Return the words that tell a guest's kernel and initrd of its root disk; none for virtio.

    Args:
        bus: Level of ``disk.bus``.
        full: The kernel is not Debian's cloud kernel (``full_kernel``).

    Raises:
        PlatformError: the guest's kernel has no driver for a disk on that bus.
    """
    disk = ROOT_DISKS[bus]
    if disk.full and not full:
        refuse_driver(f"disk.bus={bus}")
    if bus == "virtio":
        return ()
    return (f"root={disk.device}", *(f"assay.module={name}" for name in disk.modules))


def refuse_driver(setting: str) -> NoReturn:
    """Refuse a setting for which Debian's cloud kernel has no driver; raises ``PlatformError``."""
    msg = f"cannot give a guest {setting}: Debian's cloud kernel, which it runs, has no driver for it"
    raise PlatformError(msg, hint="add linux-image-amd64 to the guest's packages: the full kernel has it")
