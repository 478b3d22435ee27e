"""What a scene, or one of its scales, needs of the machine that it measures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Needs:
    """The least that a machine must have; ``None``, and empty, asks for nothing.

    Attributes:
        cores: Cores, however many processors each has.
        memory_bytes: Memory, as the kernel tells it (``MemTotal``).
        disk_bytes: What is free under assay's state.
        nodes: Memory nodes.
        kvm: The machine runs guests by KVM.
        tools: Programs on its path.
    """

    cores: int | None = None
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    nodes: int | None = None
    kvm: bool = False
    tools: tuple[str, ...] = ()
