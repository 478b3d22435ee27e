"""A host of which nothing is known but what is said: for pages that must not differ between machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PlainHost:
    """A host by KVM with two memory nodes, every program and no file (``factors.base.evidence.Host``)."""

    files: Mapping[str, str] = field(default_factory=dict)
    accelerator: str = "kvm"
    root: bool = True
    of_system: bool = True
    cpus: tuple[int, ...] = tuple(range(16))
    nodes: tuple[int, ...] = (0, 1)
    disk: str | None = "vda"
    scheduling_disk: str | None = "vda"
    memory_bytes: int = 64 * 1024**3
    libvirt: tuple[int, int, int] = (9, 0, 0)
    qemu: tuple[int, int, int] = (7, 2, 22)
    devices: frozenset[str] = frozenset()

    def read(self, path: str) -> str | None:
        """Return the text of a file."""
        return self.files.get(path)

    def writable(self, path: str) -> bool:
        """Tell whether a file is there."""
        return path in self.files

    def has(self, program: str) -> bool:
        """Have any program."""
        return bool(program)
