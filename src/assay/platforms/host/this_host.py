"""This machine as a carrier of guests (``factors.base.evidence.Host``)."""

from __future__ import annotations

import os
import re
import shutil
from functools import cached_property
from pathlib import Path

from assay.platforms.filesystems.disk_under import disk_under, scheduling_disk
from assay.platforms.host.kvm_support import likely_accelerator
from assay.platforms.host_command import ask
from assay.platforms.hypervisor import EMULATOR, local_hypervisor, parse_devices
from assay.platforms.process import PATH
from assay.platforms.readback.cpu import memory_node_list, parse_cpu_list

_NONE = (0, 0, 0)


class ThisHost:
    """This machine; what costs a process to find out is found out when it is first asked for.

    Args:
        home: Folder of assay's state, under which guests have their disks; ``None``: no disk is known.
    """

    def __init__(self, home: Path | None = None) -> None:
        self._home = home

    @cached_property
    def accelerator(self) -> str:
        """``kvm`` where the processor and the device allow it, else ``tcg``; not proved by a start."""
        return likely_accelerator(of_system=self.of_system)

    @property
    def root(self) -> bool:
        """We may change its settings."""
        return os.geteuid() == 0

    @property
    def of_system(self) -> bool:
        """Guests are made by the machine's libvirt; else by the user's own."""
        return local_hypervisor().of_system

    @property
    def cpus(self) -> tuple[int, ...]:
        """Its processors that are online."""
        return parse_cpu_list(self.read("/sys/devices/system/cpu/online") or "0")

    @property
    def nodes(self) -> tuple[int, ...]:
        """Its nodes that have memory."""
        return parse_cpu_list(memory_node_list(self.read))

    @property
    def memory_bytes(self) -> int:
        """Its memory."""
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    @cached_property
    def disk(self) -> str | None:
        """Its disk under the folder of guests; ``None`` where that is no one disk."""
        return None if self._home is None else disk_under(self._home)

    @cached_property
    def scheduling_disk(self) -> str | None:
        """The disk whose scheduler orders the requests to that one; ``None`` where that is no one disk."""
        return None if self.disk is None else scheduling_disk(self.disk)

    @cached_property
    def libvirt(self) -> tuple[int, int, int]:
        """Version of libvirt."""
        try:
            import libvirt
        except ImportError:
            return _NONE
        number = libvirt.getVersion()
        return number // 1_000_000, number // 1000 % 1000, number % 1000

    @cached_property
    def qemu(self) -> tuple[int, int, int]:
        """Version of QEMU."""
        match = re.search(r"version (\d+)\.(\d+)\.(\d+)", ask([EMULATOR, "--version"], timeout_s=20) or "")
        return (int(match[1]), int(match[2]), int(match[3])) if match else _NONE

    @cached_property
    def devices(self) -> frozenset[str]:
        """Devices that QEMU was built with; empty where it does not tell."""
        return parse_devices(ask([EMULATOR, "-device", "help"], timeout_s=20) or "")

    def read(self, path: str) -> str | None:
        """Return a file's text without white space around it; ``None`` where it cannot be read."""
        try:
            return Path(path).read_text(errors="replace").strip()
        except OSError:
            return None

    def writable(self, path: str) -> bool:
        """Tell whether a file is there and can be written; what its mode denies, the kernel
        denies root too.
        """
        try:
            return os.access(path, os.W_OK) and Path(path).stat().st_mode & 0o222 != 0
        except OSError:
            return False

    def has(self, program: str) -> bool:
        """Tell whether a program is on the path."""
        return shutil.which(program, path=PATH) is not None
