"""Near-native platforms: a place on the baseline's machine with its files, behind another wall than a
guest's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from assay.model.platforms.layout import Layout

CONTAINER = "container"
"""What a layout of containers has several of."""


class Runtime(StrEnum):
    """What makes the place."""

    RUNC = "runc"
    PODMAN = "podman"
    RUNSC = "runsc"
    UML = "uml"


@dataclass(frozen=True)
class PlannedContainer:
    """The container that the scene asks for, with sizes filled in.

    Attributes:
        runtime: What makes it.
        memory_bytes: Memory that it may use, of user-mode Linux the memory that it has; ``None`` is "all".
        cpu_quota: Share of its processors' time, 0 < quota <= 1; ``None`` is "all of it".
        platform: gVisor's ``--platform``, ``ptrace``, ``kvm`` or ``systrap``; ``None`` for another runtime.
        layout: How many containers share its processors and its memory, and how their jobs start.
    """

    runtime: Runtime
    memory_bytes: int | None = None
    cpu_quota: float | None = None
    platform: str | None = None
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True)
class Container:
    """A container as it really was, read from the kernel after its start and not from what was asked.

    Attributes:
        runtime: What made it.
        version: The runtime's own word, ``runc version 1.1.5+ds1``.
        kernel: Whose kernel answers its system calls: ``host``, ``gVisor`` or ``Linux`` (user-mode Linux's
            own).
        platform: How gVisor catches system calls, by what the kernel shows of its processes; ``None``
            elsewhere.
        isolated: Kinds of namespace that are its own, in the kernel's words, sorted.
        cpus: Processors that every thread of it may run on, sorted.
        memory_bytes: Limit of its control group, of user-mode Linux the memory that its kernel tells of;
            ``None`` is "none".
        cpu_quota: Share of its processors' time by its control group; ``None`` is "all of it".
        group: Its control group; ``None`` where it has none of its own.
        writable: Folders of the machine's file systems that it may write to; ``None`` where the kernel does
            not tell, as gVisor mounts inside itself.
        cpu_s: CPU seconds that all of it had over a trial; ``None`` where that was not counted.
    """

    runtime: Runtime
    version: str
    kernel: str
    platform: str | None
    isolated: tuple[str, ...]
    cpus: tuple[int, ...]
    memory_bytes: int | None
    cpu_quota: float | None
    group: str | None
    writable: tuple[str, ...] | None
    cpu_s: float | None = None
