"""Guests that lose by a cause, and what is advised to them, or is not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

COPY = {"disk.cache": "writeback", "disk.backing": "0"}
SUBCLUSTERS = {"disk.extended_l2": "on", "disk.preallocation": "full"}


@dataclass(frozen=True)
class Case:
    """A guest that loses by a cause, and what is advised.

    Attributes:
        setting: What is advised.
        cause: What holds the loss.
        guest: Levels of the guest.
        groups: What the host is, by group.
        host: Facts of the host that are not FACTS'.
        facts: The same of the guest.
        vcpus: Its processors.
        counts: Of the host's and of the guest's job.
        accelerator: What runs the guest.
        network: The workload measures the network.
        guests: Guests of its layout.
        on_host: What its host counted over the job, by the kernel's names.
        flags: Of the guest's processor and of its host's.
        used: Of the guest's job, beside what the cause changes.
    """

    setting: str
    cause: str
    guest: dict[str, str] = field(default_factory=dict)
    groups: dict[str, dict[str, object]] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    vcpus: int = 2
    counts: tuple[tuple[str, int, int], ...] = ()
    accelerator: str = "kvm"
    network: bool = False
    guests: int = 1
    on_host: dict[str, int] = field(default_factory=dict)
    flags: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    used: dict[str, Any] = field(default_factory=dict)


def kvm(**parameters: str) -> dict[str, dict[str, object]]:
    return {
        "virtualisation": {"modules": {"kvm": parameters, "kvm_intel": parameters, "kvm_amd": parameters}}
    }


def of_kernel(line: str) -> dict[str, dict[str, object]]:
    return {"kernel": {"command_line": line}}


NODES: dict[str, dict[str, object]] = {
    "hardware": {"nodes": {"0": {"memory_bytes": 1}, "1": {"memory_bytes": 1}}}
}
APART: dict[str, dict[str, object]] = {"hardware": {"nodes": {"0": {"cpus": [0]}, "1": {"cpus": [1]}}}}
"""The guest's processors are of two nodes."""
TOGETHER: dict[str, dict[str, object]] = {"hardware": {"nodes": {"0": {"cpus": [0, 1]}, "1": {"cpus": [2]}}}}
PINNED = {"cpu.vcpupin": "node", "numa.memory": "strict:own"}


def balancing(value: int) -> dict[str, dict[str, object]]:
    return {**APART, "memory": {"numa_balancing": value}}


KSM: dict[str, dict[str, object]] = {"memory": {"ksm": {"run": 1, "pages_shared": 700}}}
HALTS = {"exits": 1000, "halt_exits": 400, "io_exits": 5, "mmio_exits": 0, "irq_exits": 9}
"""A guest that mostly waits."""
SERVED = {"exits": 1000, "halt_exits": 4, "io_exits": 300, "mmio_exits": 200, "irq_exits": 90}
"""One whose exits are for devices, with interrupts of them."""
SPREAD = {"numa_hint_faults": 1000, "numa_hint_faults_local": 600}
AT_HOME = {"numa_hint_faults": 1000, "numa_hint_faults_local": 999}
X86 = ("fpu", "sse4_2", "vmx", "avx", "avx2", "fma")
FIRST_CASES = (
    Case("cpu.mode=host-passthrough", "slower-cpu", {"cpu.mode": "custom"}),
    Case("cpu.mode=host-passthrough", "slower-cpu", {"cpu.model": "Nehalem"}),
    Case("memory.hugepages=2 MiB", "slower-cpu"),
    Case("memory.hugepages=2 MiB", "slower-cpu", counts=(("dtlb-load-misses", 1000, 9000),)),
    Case("host.thp=always", "kernel-time", host={"thp": "madvise"}),
    Case("guest.transparent_hugepage=always", "slower-cpu", facts={"thp": "never"}),
    Case("host.ept=Y", "slower-cpu", groups=kvm(ept="N")),
    Case("host.npt=Y", "kernel-time", groups=kvm(npt="N")),
    Case("host.nx_huge_pages=N", "slower-cpu", groups=kvm(nx_huge_pages="Y")),
    Case("memory.allocation=immediate", "kernel-time"),
    Case("numa.memory=strict:own", "slower-cpu", groups=NODES),
    Case("cpu.vcpupin=node", "slower-cpu", groups=NODES),
    Case("cpu.vcpupin=1:1", "run-queue"),
    Case("cpu.vcpupin=1:1", "slower-cpu"),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node"}, groups=APART),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node"}, groups=APART, on_host=SPREAD),
    Case("host.numa_balancing=1", "slower-cpu", groups=balancing(0)),
    Case("host.numa_balancing=0", "slower-cpu", PINNED, groups=balancing(1)),
    Case("host.numa_balancing=0", "kernel-time", PINNED, groups=balancing(1)),
    Case("host.mitigations=off", "kernel-time", groups=of_kernel("quiet")),
    Case("host.mitigations=off", "kernel-time", groups=of_kernel("mitigations=auto,nosmt quiet")),
    Case("cpu.vcpus=2", "run-queue", vcpus=4),
    Case("cpu.shares=2048", "run-queue", used={"steal_s": 0.8}),
    Case("cpu.quota=none", "cpu-quota", {"cpu.quota": "50 %"}),
    Case("cpu.cache=passthrough", "slower-cpu"),
    Case("cpu.pvspinlock=on", "run-queue", {"cpu.pvspinlock": "off"}),
    Case("host.governor=performance", "slower-cpu", host={"governor": "powersave"}),
    Case("kvm.pv-tlb-flush=on", "kernel-time", {"kvm.pv-tlb-flush": "off"}),
    Case("kvm.pv-ipi=on", "kernel-time", {"cpu.mode": "host-model"}),
    Case("apic.eoi=on", "kernel-time", {"cpu.model": "Nehalem"}),
    Case("guest.clocksource=kvm-clock", "kernel-time", facts={"clock_source": "acpi_pm"}),
    Case("clock.hpet=no", "kernel-time", facts={"clock_source": "hpet"}),
    Case("host.halt_poll_ns=200000", "waiting", groups=kvm(halt_poll_ns="0")),
    Case("guest.idle=poll", "waiting"),
    Case("guest.mitigations=off", "kernel-time"),
    Case("memory.size=4 GiB", "memory-limit"),
    Case("memory.memballoon=none", "memory-limit", {"memory.memballoon": "virtio"}),
    Case("memory.nosharepages=on", "slower-cpu", groups=KSM),
    Case("disk.cache=writeback", "disk-throughput"),
    Case("disk.io=native", "disk-throughput"),
    Case("disk.preallocation=falloc", "disk-throughput"),
    Case("disk.format=raw", "disk-throughput"),
    Case("disk.bus=virtio", "disk-throughput", {"disk.bus": "sata"}),
    Case("disk.iothread=on", "disk-throughput"),
    Case("disk.queues=2", "disk-throughput", {"disk.queues": "1"}),
    Case("disk.guest-filesystem=xfs", "waiting"),
    Case("disk.guest-filesystem=xfs", "kernel-time"),
    Case("disk.guest-filesystem=xfs", "disk-throughput"),
    Case("disk.guest-filesystem=ext4", "kernel-time", {"disk.guest-filesystem": "xfs"}),
    Case("start.preload=on", "cold-cache"),
    Case("start.stagger=10 s", "cold-cache", guests=2),
    Case("start.stagger=10 s", "disk-throughput", guests=2),
    Case("disk.backing=1", "cold-cache", {"disk.cache": "writeback", "disk.backing": "0"}, guests=2),
    Case("disk.backing=1", "cold-cache", {"disk.cache": "writeback", "disk.format": "qcow2"}, guests=2),
    Case("disk.backing=1", "cold-cache", {**COPY, **SUBCLUSTERS}, guests=2),
    Case("net.backend=ethernet", "kernel-time", {"net.backend": "user"}, network=True),
    Case("net.model=virtio", "kernel-time", {"net.model": "e1000"}, network=True),
    Case("net.driver=vhost", "waiting", {"net.driver": "qemu"}, network=True),
    Case("net.queues=2", "kernel-time", network=True),
    Case("tcg.thread=multi", "emulation", {"tcg.thread": "single"}, accelerator="tcg"),
    Case("tcg.tb-cache=1 GiB", "emulation", {"tcg.tb-cache": "8 MiB"}, accelerator="tcg"),
    Case("cpu.mode=maximum", "emulation", {"cpu.mode": "host-model"}, accelerator="tcg"),
    Case("host.halt_poll_ns=200000", "waiting", groups=kvm(halt_poll_ns="0"), on_host=HALTS),
    Case("guest.idle=poll", "waiting", on_host=HALTS),
    Case("kvm.pv-ipi=on", "kernel-time", {"cpu.mode": "host-model"}, on_host=SERVED),
    Case("apic.eoi=on", "kernel-time", {"apic.eoi": "off"}, on_host=SERVED),
    Case("disk.bus=virtio", "disk-throughput", {"disk.bus": "sata"}, on_host=SERVED),
    Case("net.model=virtio", "kernel-time", {"net.model": "e1000"}, network=True, on_host=SERVED),
    Case("numa.memory=strict:own", "slower-cpu", groups=NODES, on_host=SPREAD),
    Case("cpu.vcpupin=node", "slower-cpu", groups=NODES, on_host=SPREAD),
    Case("cpu.mode=host-passthrough", "slower-cpu", {"cpu.mode": "custom"}, flags=(X86[:3], X86)),
)
ALSO = {
    "cold-cache": ("disk.cache=writeback",),
    "cold-start": ("disk.backing=1", "disk.cache=writeback", "start.preload=on", "start.stagger=10 s"),
    "io-wait": (
        *("disk.bus=virtio", "disk.cache=writeback", "disk.format=raw", "disk.guest-filesystem=xfs"),
        *("disk.io=native", "disk.iothread=on", "disk.preallocation=falloc", "disk.queues=2"),
        "start.stagger=10 s",
    ),
    "kernel-time": (
        *("cpu.pvspinlock=on", "guest.transparent_hugepage=always", "host.ept=Y", "host.nx_huge_pages=N"),
        *("memory.hugepages=2 MiB", "memory.memballoon=none", "memory.nosharepages=on", "net.driver=vhost"),
    ),
    "slower-cpu": ("guest.clocksource=kvm-clock", "host.npt=Y", "host.thp=always"),
    "waiting": ("net.backend=ethernet", "net.model=virtio", "net.queues=2"),
}
"""Other causes for which settings are advised to the same guests as in the first of their cases."""


def first_of(setting: str) -> Case:
    return next(case for case in FIRST_CASES if case.setting == setting)


CASES = (
    *FIRST_CASES,
    *(replace(first_of(setting), cause=cause) for cause, settings in ALSO.items() for setting in settings),
)
AGAINST = (
    Case("start.preload=on", "cold-start", {"start.preload": "on"}),
    Case("start.stagger=10 s", "cold-start"),
    Case("disk.cache=writeback", "io-wait", {"disk.cache": "unsafe"}),
    Case("start.preload=on", "io-wait"),
    Case(
        "cpu.mode=host-passthrough",
        "slower-cpu",
        {"cpu.mode": "custom"},
        flags=(("fpu", "avx"), ("fpu", "vmx")),
    ),
    Case("host.halt_poll_ns=200000", "waiting", groups=kvm(halt_poll_ns="0"), on_host=SERVED),
    Case("guest.idle=poll", "waiting", on_host=SERVED),
    Case("kvm.pv-ipi=on", "kernel-time", {"cpu.mode": "host-model"}, on_host=HALTS),
    Case("disk.bus=virtio", "disk-throughput", {"disk.bus": "sata"}, on_host=HALTS),
    Case("net.model=virtio", "kernel-time", {"net.model": "e1000"}, network=True, on_host=HALTS),
    Case("numa.memory=strict:own", "slower-cpu", groups=NODES, on_host=AT_HOME),
    Case("cpu.vcpupin=node", "slower-cpu", groups=NODES, on_host=AT_HOME),
    Case("cpu.shares=2048", "run-queue", used={"steal_s": 0.0}),
    Case("cpu.shares=2048", "run-queue", {"cpu.shares": "512"}, used={"steal_s": 0.8}),
    Case("cpu.quota=none", "cpu-quota"),
    Case("start.stagger=10 s", "cold-cache"),
    Case("disk.backing=1", "cold-cache", {"disk.cache": "none", "disk.backing": "0"}, guests=2),
    Case("disk.backing=1", "cold-cache", {"disk.cache": "writeback"}, guests=2),
    Case("disk.backing=1", "cold-cache", {"disk.cache": "writeback", "disk.format": "raw"}, guests=2),
    Case("disk.backing=1", "cold-cache", {**COPY, "disk.preallocation": "falloc"}, guests=2),
    Case("disk.backing=1", "cold-cache", {**COPY, "disk.host-filesystem": "xfs"}, guests=2),
    Case("net.queues=2", "kernel-time"),
    Case("net.driver=vhost", "waiting", {"net.driver": "qemu"}),
    Case("tcg.thread=multi", "emulation", accelerator="tcg"),
    Case("cpu.mode=host-passthrough", "slower-cpu"),
    Case("memory.hugepages=2 MiB", "slower-cpu", {"memory.hugepages": "1 GiB"}),
    Case("memory.hugepages=2 MiB", "slower-cpu", counts=(("dtlb-load-misses", 1000, 1050),)),
    Case("memory.hugepages=2 MiB", "waiting"),
    Case("host.thp=always", "kernel-time", host={"thp": "always"}),
    Case("host.thp=always", "kernel-time"),
    Case("host.ept=Y", "slower-cpu", groups=kvm(ept="Y")),
    Case("numa.memory=strict:own", "slower-cpu"),
    Case("cpu.vcpupin=1:1", "run-queue", vcpus=4),
    Case("numa.cell=2", "slower-cpu", groups=APART),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node"}, groups=TOGETHER),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node"}, groups=NODES),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node"}, groups=APART, vcpus=3),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node", "numa.cell": "2"}, groups=APART),
    Case("numa.cell=2", "slower-cpu", {"cpu.vcpupin": "node"}, groups=APART, on_host=AT_HOME),
    Case("host.numa_balancing=1", "slower-cpu", groups=balancing(1)),
    Case("host.numa_balancing=1", "slower-cpu", PINNED, groups=balancing(0)),
    Case("host.numa_balancing=0", "slower-cpu", groups=balancing(1)),
    Case("host.numa_balancing=0", "slower-cpu", {"cpu.vcpupin": "node"}, groups=balancing(1)),
    Case("host.mitigations=off", "kernel-time"),
    Case("host.mitigations=off", "kernel-time", groups=of_kernel("mitigations=off")),
    Case("host.mitigations=off", "kernel-time", groups=of_kernel("quiet"), accelerator="tcg"),
    Case("disk.guest-filesystem=ext4", "waiting", {"disk.guest-filesystem": "xfs"}),
    Case("disk.guest-filesystem=ext4", "kernel-time", {"disk.guest-filesystem": "xfs"}, vcpus=1),
    Case("kvm.pv-ipi=on", "kernel-time"),
    Case("guest.clocksource=kvm-clock", "kernel-time", facts={"clock_source": "kvm-clock"}),
    Case("host.halt_poll_ns=200000", "waiting", groups=kvm(halt_poll_ns="400000")),
    Case("host.halt_poll_ns=200000", "waiting"),
    Case("memory.nosharepages=on", "slower-cpu", groups={"memory": {"ksm": {"run": 1, "pages_shared": 0}}}),
    Case("disk.cache=writeback", "disk-throughput", {"disk.cache": "writeback"}),
    Case("disk.io=native", "disk-throughput", {"disk.cache": "writeback"}),
    Case("disk.guest-filesystem=xfs", "waiting", {"disk.guest-filesystem": "xfs"}),
)
