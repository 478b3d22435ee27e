"""What needs another libvirt or QEMU than a host has: a newer one, or one that was built with a device."""

from __future__ import annotations

from assay.factors.base.evidence import Host

Version = tuple[int, int, int]
TELLS_FEATURES: Version = (7, 2, 0)
"""QEMU's first with QMP ``x-query-virtio-status``: what a guest's driver takes of what a device offers."""


def too_old(host: Host, *, libvirt: Version = (0, 0, 0), qemu: Version = (0, 0, 0)) -> str | None:
    """Return what a host's libvirt or QEMU is too old for, one clause; ``None`` where both are new enough."""
    for program, least, there in (("libvirt", libvirt, host.libvirt), ("QEMU", qemu, host.qemu)):
        if there < least:
            here = f"here is {_short(there)}" if any(there) else "here is none"
            return f"needs {program} {_short(least)}, {here}"
    return None


def no_device(host: Host, name: str) -> str | None:
    """Return that a host's QEMU was built without a device, one clause; ``None`` where it has it, or where
    its devices are not known.

    Args:
        host: The host.
        name: QEMU's own name of the device, as ``-device help`` has it.
    """
    return f"this QEMU has no {name}" if host.devices and name not in host.devices else None


def _short(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
