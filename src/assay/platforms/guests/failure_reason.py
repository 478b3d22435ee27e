"""Why a guest that does not answer does not run, as its hypervisor tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libvirt import virDomain


def failure_reason(domain: virDomain) -> str | None:
    """Return why a guest does not run; ``None`` where it does, or where libvirt cannot be asked.

    QEMU pauses a guest whose disk cannot be written because the host has no room (its default for errors of
    writing, ``enospc``); the guest then hangs without a word.
    """
    import libvirt

    try:
        state, reason = domain.state()
    except libvirt.libvirtError:
        return None
    if (state, reason) == (libvirt.VIR_DOMAIN_PAUSED, libvirt.VIR_DOMAIN_PAUSED_IOERROR):
        return "QEMU paused it for an error of its disk: is the host's file system full?"
    if state == libvirt.VIR_DOMAIN_PAUSED:
        return "it is paused"
    return None if state in (libvirt.VIR_DOMAIN_RUNNING, libvirt.VIR_DOMAIN_BLOCKED) else "its QEMU has ended"
