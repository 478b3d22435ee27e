"""A recorded machine as a carrier of guests (``factors.base.evidence.Host``): what its record tells of it."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from assay.platforms.host.kvm_support import processor_flags
from assay.platforms.host.this_host import ThisHost
from assay.platforms.readback.cpu import memory_node_list, parse_cpu_list

_VIRTUAL = {"vmx", "svm"}
_OF_PROGRAMS = "/usr/share/qemu/vhost-user/"
"""What packages of QEMU's helpers bring: as programs, of which a record tells nothing."""
_TOTAL = re.compile(r"^MemTotal:[ \t]+(\d{1,15}) kB$", re.MULTILINE)


class RecordedHost:
    """A recorded machine.

    A record tells nothing of programs: every one is taken to be there, libvirt and QEMU in this machine's
    versions, and assay to be root.

    Args:
        folder: The record, as ``assay-probe record`` writes it.
    """

    root = True
    """We may change its settings."""
    of_system = True
    """Guests are made by the machine's libvirt."""
    disk: str | None = None
    """Which disk assay's state would lie on is not known."""
    scheduling_disk: str | None = None
    """Nor which disk would schedule its requests."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._here = folder, ThisHost()

    @cached_property
    def accelerator(self) -> str:
        """``kvm`` where the processor can, else ``tcg``."""
        return "kvm" if processor_flags(self.read("/proc/cpuinfo") or "") & _VIRTUAL else "tcg"

    @cached_property
    def cpus(self) -> tuple[int, ...]:
        """Its processors that are online."""
        return parse_cpu_list(self.read("/sys/devices/system/cpu/online") or "0")

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """Its nodes that have memory."""
        return parse_cpu_list(memory_node_list(self.read))

    @cached_property
    def memory_bytes(self) -> int:
        """Its memory; 0 where its record does not tell."""
        match = _TOTAL.search(self.read("/proc/meminfo") or "")
        return int(match[1]) * 1024 if match else 0

    @property
    def libvirt(self) -> tuple[int, int, int]:
        """Version of libvirt on this machine."""
        return self._here.libvirt

    @property
    def qemu(self) -> tuple[int, int, int]:
        """Version of QEMU on this machine."""
        return self._here.qemu

    @property
    def devices(self) -> frozenset[str]:
        """Devices that QEMU was built with on this machine."""
        return self._here.devices

    def read(self, path: str) -> str | None:
        """Return a file's text without white space around it; ``None`` where the record has none."""
        if path.startswith(_OF_PROGRAMS):
            return "{}"
        try:
            return (self._folder / path.lstrip("/")).read_text(errors="replace").strip()
        except OSError:
            return None

    def writable(self, path: str) -> bool:
        """Tell whether the record has a file."""
        return (self._folder / path.lstrip("/")).is_file()

    def has(self, program: str) -> bool:
        """Return true: a record does not tell."""
        del program
        return True
