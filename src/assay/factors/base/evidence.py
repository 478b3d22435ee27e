"""What is looked at from the outside, to see whether a factor is in force. Doors: ``platforms``
opens them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from xml.etree.ElementTree import Element


@dataclass(frozen=True)
class Thread:
    """One thread of a QEMU process.

    Attributes:
        id: Its number on the host.
        name: What it calls itself, ``CPU 0/TCG``.
        cpus: Processors of the host that it may run on.
        policy: Its scheduler: 0 other, 1 fifo, 2 round robin, 3 batch, 5 idle.
    """

    id: int
    name: str
    cpus: tuple[int, ...]
    policy: int


class Host(Protocol):
    """A machine that carries guests, read from its kernel's files and from what is installed."""

    @property
    def accelerator(self) -> str:
        """``kvm`` where guests run by it, else ``tcg``."""

    @property
    def root(self) -> bool:
        """We may change its settings."""

    @property
    def of_system(self) -> bool:
        """Guests are made by the machine's libvirt, which has root's rights; else by a plain user's own."""

    @property
    def cpus(self) -> tuple[int, ...]:
        """Its processors that are online."""

    @property
    def nodes(self) -> tuple[int, ...]:
        """Its nodes that have memory."""

    @property
    def memory_bytes(self) -> int:
        """Its memory."""

    @property
    def disk(self) -> str | None:
        """Its disk under the folder of guests, in the kernel's word (``vda``); ``None`` where that is no one
        disk.
        """

    @property
    def scheduling_disk(self) -> str | None:
        """The disk whose scheduler orders the requests to ``disk``: the same, or the one below a logical
        volume; ``None`` where that is no one disk.
        """

    @property
    def libvirt(self) -> tuple[int, int, int]:
        """Version, ``(9, 0, 0)``; zeros where there is none."""

    @property
    def qemu(self) -> tuple[int, int, int]:
        """Version, ``(7, 2, 22)``; zeros where there is none."""

    @property
    def devices(self) -> frozenset[str]:
        """QEMU's names of the devices that it was built with; empty where that is not known."""

    def read(self, path: str) -> str | None:
        """Return a file's text without white space around it; ``None`` where it cannot be read."""

    def writable(self, path: str) -> bool:
        """Tell whether a file is there and can be written."""

    def has(self, program: str) -> bool:
        """Tell whether a program is on the path."""


class Evidence(Protocol):
    """A started guest, running or paused, seen from its host."""

    @property
    def host(self) -> Host:
        """The machine that carries it."""

    @property
    def live(self) -> Element:
        """libvirt's XML of the running domain."""

    @property
    def command(self) -> tuple[str, ...]:
        """Words of the QEMU process's command line."""

    @property
    def threads(self) -> tuple[Thread, ...]:
        """All threads of the QEMU process, by number."""

    @property
    def status(self) -> Mapping[str, str]:
        """``/proc/PID/status``: names without colon, values stripped."""

    @property
    def ram(self) -> Mapping[str, str]:
        """The guest's memory in ``/proc/PID/smaps``: fields, ``name`` for what is mapped, ``permissions`` and
        ``address``; of several mappings (one for each NUMA cell) counts in kB are added up, other values that
        differ stand side by side, addresses all. Empty where it was not found."""

    @property
    def open_files(self) -> tuple[str, ...]:
        """What the links in ``/proc/PID/fd`` lead to, by number."""

    @property
    def disk(self) -> Mapping[str, Any]:
        """``qemu-img info --output=json`` of its disk, and beside it ``allocated`` (bytes on the file
        system), ``map`` (``qemu-img map --output=json``, at most 1,000 extents), ``unwritten`` (bytes
        allocated and never written) and ``direct`` (QEMU has it open with O_DIRECT), ``filesystem`` (in the
        words of ``disk.host-filesystem``), all ``None`` where the kernel does not tell, ``places`` (device
        and mount points of the file system that it lies on), and ``root`` (in the words of
        ``disk.guest-filesystem``; ``None`` for an empty disk).
        """

    def ask(self, command: str, **arguments: Any) -> Any:
        """Return QEMU's answer to a QMP command."""

    def monitor(self, line: str) -> str:
        """Return what QEMU's human monitor prints."""

    def group_file(self, name: str, group: str = "") -> str | None:
        """Return the text of a file of its control group, without white space around it.

        Args:
            name: ``cpu.shares``; the part before the dot is the controller.
            group: The group below the guest's own: ``vcpu0``, ``emulator``, ``iothread1``; ``""`` for its
                own.

        Returns:
            ``None`` where there is no such group or file.
        """

    def process_file(self, name: str) -> str | None:
        """Return the text of a file below ``/proc/PID``; ``None`` where it cannot be read."""
