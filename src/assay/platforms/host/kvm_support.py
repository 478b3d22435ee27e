"""What the processor and the device file say of KVM on this machine; only a start proves it.

Source: Intel SDM vol. 3 ch. 23 (``vmx``), AMD APM vol. 2 ch. 15 (``svm``), ``man 5 proc``
    (``/proc/cpuinfo``).
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.platforms.daemon.device import KVM

_FLAGS = {"vmx", "svm"}


def likely_accelerator(*, cpuinfo: str | None = None, device: Path = KVM, of_system: bool = True) -> str:
    """Return ``kvm`` where nothing speaks against it, else ``tcg``; only a start proves it.

    That a user who is not root may not open the device does not: guests of libvirt's system daemon are QEMU's
    user's. Those of a user's own daemon (``of_system`` is false) are that user's.
    """
    text = Path("/proc/cpuinfo").read_text() if cpuinfo is None else cpuinfo
    return "tcg" if kvm_lack(text, device, of_system=of_system) else "kvm"


def processor_flags(cpuinfo: str) -> frozenset[str]:
    """Return the flags of the first processor in ``/proc/cpuinfo``; empty where it shows none."""
    for line in cpuinfo.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return frozenset(value.split())
    return frozenset()


def kvm_lack(cpuinfo: str, device: Path, *, of_system: bool) -> str | None:
    """Return what KVM lacks here, as far as flags and device tell; ``None`` where nothing speaks against it.

    Args:
        cpuinfo: Content of ``/proc/cpuinfo``.
        device: KVM's device file.
        of_system: Guests are those of libvirt's system daemon, else of a user's own.
    """
    if not processor_flags(cpuinfo) & _FLAGS:
        return "the processor shows neither vmx nor svm"
    try:
        os.close(os.open(device, os.O_RDWR))
    except PermissionError as error:
        if os.geteuid() != 0 and of_system:
            return None  # not told: it is QEMU's user whom libvirt lets open it, not this one
        return f"{device} cannot be opened ({error.strerror})"
    except OSError as error:
        return f"{device} cannot be opened ({error.strerror})"
    return None
