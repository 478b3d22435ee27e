"""What a page says of the machine, guest or container that an arm ran in, as data."""

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.say import say


@dataclass(frozen=True)
class System:
    """Where one arm ran, as its first trial that has a record saw it."""

    label: str = say("Label of the arm.")
    hostname: str = say("Host name, from inside.")
    cpu_model: str | None = say("Model name of its processors; null = not told.")
    cpus: int = say("Processors that are there and may be used.")
    confined: tuple[int, ...] = say(
        "Processors of the host that it was confined to, QEMU as a whole for a guest; empty is all."
    )
    memory_bytes: int = say("Memory that it has.")
    memory_limit_bytes: int | None = say("Limit on the memory of its job; null = none.")
    architecture: str = say("`x86_64`.")
    kernel: str = say("Release of its kernel.")
    clock_source: str | None = say("Current clock source of its kernel; null = not told.")
    governor: str | None = say("Frequency governor; null = not told.")
    thp: str | None = say("Mode of transparent huge pages; null = not told.")
    platform: str | None = say(
        "What made it, with its version: QEMU and libvirt, or a runtime; null for a machine."
    )
    accelerator: str | None = say("`kvm` or `tcg` of a guest; null elsewhere.")
    guest_cpu: str | None = say("CPU model that a guest was given; null elsewhere.")
    disk: str | None = say("Format and cache mode of a guest's disk; null elsewhere.")
    below: str | None = say("Hypervisor that it runs on, recognised from inside; null = none seen.")
