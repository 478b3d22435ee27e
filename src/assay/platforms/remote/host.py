"""A hypervisor as a carrier of guests (``factors.base.evidence.Host``), read through its door.

Source: as ``this_host``; ``man 1 test``, ``man 1 find``.
"""

from __future__ import annotations

import re
from functools import cached_property

from assay.model.errors import AssayError, Exit
from assay.platforms.host.kvm_support import processor_flags
from assay.platforms.hypervisor import EMULATORS, parse_devices
from assay.platforms.process import PATH
from assay.platforms.readback.cpu import NODES, memory_node_list, parse_cpu_list
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import STEP_S, read_text, read_texts, understood

_VIRTUAL = {"vmx", "svm"}
_TOTAL = re.compile(r"^MemTotal:[ \t]+(\d{1,15}) kB$", re.MULTILINE)
_NODE = re.compile(r"/node(\d{1,9})/cpulist$")
_NONE = (0, 0, 0)


class RemoteHost:
    """Another machine; what costs a command to find out is found out when it is first asked for.

    Args:
        door: To it; open as long as this is used.
    """

    disk: str | None = None
    """Its disks' settings are not changed, so none of them is known."""
    scheduling_disk: str | None = None
    """As ``disk``."""

    def __init__(self, door: RemoteDoor) -> None:
        self._door = door

    @cached_property
    def accelerator(self) -> str:
        """``kvm`` where the processor and the device allow it, else ``tcg``; not proved by a start."""
        flags = processor_flags(self.read("/proc/cpuinfo") or "")
        return "kvm" if flags & _VIRTUAL and self._test("-c", "/dev/kvm") else "tcg"

    @cached_property
    def root(self) -> bool:
        """We are root there."""
        return self._output("id", "-u").strip() == "0"

    @property
    def of_system(self) -> bool:
        """Guests are made by the machine's libvirt, never by a user's own."""
        return True

    @cached_property
    def cpus(self) -> tuple[int, ...]:
        """Its processors that are online."""
        return self._list(self.read("/sys/devices/system/cpu/online") or "0")

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """Its nodes that have memory."""
        return self._list(memory_node_list(self.read))

    @property
    def node_cpus(self) -> dict[int, tuple[int, ...]]:
        """Processors of each of its nodes, also of one without memory; empty where its kernel shows none."""
        online = self._list(self.read(f"{NODES}/online") or "0")
        paths = (f"{NODES}/node{node}/cpulist" for node in online)
        cpu_lists = ((_NODE.search(path), text) for path, text in read_texts(self._door, *paths).items())
        return {int(name[1]): self._list(text) for name, text in cpu_lists if name is not None}

    @cached_property
    def memory_bytes(self) -> int:
        """Its memory."""
        match = _TOTAL.search(self.read("/proc/meminfo") or "")
        return int(match[1]) * 1024 if match else 0

    @cached_property
    def libvirt(self) -> tuple[int, int, int]:
        """Version of libvirt's daemon, by its tool; zeros where it is not there."""
        return _version(self._output("libvirtd", "--version") or self._output("virtqemud", "--version"))

    @cached_property
    def qemu(self) -> tuple[int, int, int]:
        """Version of QEMU; zeros where it is not there."""
        return self._emulator[1]

    @property
    def emulator(self) -> str:
        """Where QEMU is; where it usually would be if it is not there."""
        return self._emulator[0]

    @cached_property
    def devices(self) -> frozenset[str]:
        """Devices that QEMU was built with; empty where it does not tell."""
        return parse_devices(self._output(self.emulator, "-device", "help"))

    @cached_property
    def _emulator(self) -> tuple[str, tuple[int, int, int]]:
        """The first of the places that answers, and its version."""
        for place in EMULATORS:
            if (version := _version(self._output(place, "--version"))) != _NONE:
                return place, version
        return EMULATORS[0], _NONE

    def read(self, path: str) -> str | None:
        """Return a file's text without white space around it; ``None`` where it cannot be read."""
        text = read_text(self._door, path)
        return None if text is None else text.strip()

    def writable(self, path: str) -> bool:
        """Tell whether a file is there and can be written."""
        return self._test("-w", path)

    def has(self, program: str) -> bool:
        """Tell whether a program is on the path of the system."""
        return any(self._test("-x", f"{folder}/{program}") for folder in PATH.split(":"))

    def _list(self, text: str) -> tuple[int, ...]:
        with understood(self._door, "a list of numbers"):
            return parse_cpu_list(text)

    def _test(self, what: str, path: str) -> bool:
        return self._run("test", what, path) is not None

    def _output(self, *argv: str) -> str:
        return self._run(*argv) or ""

    def _run(self, *argv: str) -> str | None:
        try:
            return self._door.run(argv, timeout_s=STEP_S).decode(errors="replace")
        except AssayError as error:
            if error.exit_code is Exit.UNREACHABLE:
                raise
            return None


def _version(text: str) -> tuple[int, int, int]:
    match = re.search(r"(?<!\d)(\d{1,9})\.(\d{1,9})\.(\d{1,9})", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else _NONE
