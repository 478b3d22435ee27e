"""The QEMU process of a domain on this machine, found without asking its monitor.

Source: libvirt starts QEMU with ``-uuid`` and ``debug-threads=on``; ``man 5 proc`` (``cmdline``, ``comm``).
Limits: a process of another user hides its memory (``smaps``) from all but root.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assay.platforms.readback.cpu import PROC, parse_status
from assay.platforms.readback.smaps import parse_ram

_VCPU = re.compile(r"CPU \d+/|ALL CPUs/")


def find_process(uuid: str, *, proc: Path = PROC) -> int | None:
    """Return the process that runs a domain; ``None`` where it is not on this machine."""
    wanted = b"\0-uuid\0" + uuid.encode() + b"\0"
    for folder in sorted(proc.glob("[0-9]*")):
        try:
            if wanted in (folder / "cmdline").read_bytes():
                return int(folder.name)
        except OSError:
            continue  # it ended meanwhile, or is hidden from us
    return None


@dataclass(frozen=True)
class QemuProcess:
    """One QEMU process.

    Attributes:
        pid: Its number.
        cells: Bytes of each part of the guest's memory.
        proc: Where ``/proc`` lies.
    """

    pid: int
    cells: Sequence[int]
    proc: Path = PROC

    @property
    def vcpu_threads(self) -> frozenset[int]:
        """Threads that are vCPUs, by their names."""
        tasks = (self.proc / str(self.pid) / "task").glob("*")
        return frozenset(int(task.name) for task in tasks if _VCPU.match(_text(task / "comm") or ""))

    @property
    def status(self) -> Mapping[str, str]:
        """Fields of ``status``."""
        return parse_status(self.process_file("status") or "")

    @cached_property
    def ram(self) -> Mapping[str, str]:
        """The mappings that hold the guest's memory, as one; empty where they are not found."""
        return parse_ram(self.process_file("smaps") or "", self.cells)

    def process_file(self, name: str) -> str | None:
        """Return the text of one of its files; ``None`` where it cannot be read."""
        return _text(self.proc / str(self.pid) / name)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return None
