"""The rules: a setting, the causes that it may lift, when it is worth a trial, and who says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.explain.advice.situation import Situation

When = Callable[[Situation], bool]


@dataclass(frozen=True)
class Remedy:
    """A setting that may lift a cause.

    Attributes:
        factor: Name of the factor.
        level: The level to try.
        causes: Codes of the causes that it may lift.
        why: What it does about them, one sentence.
        source: Who says so.
        when: Whether it is worth a trial.
    """

    factor: str
    level: str
    causes: tuple[str, ...]
    why: str
    source: str
    when: When


def _always(_: Situation) -> bool:
    return True


def _kvm(s: Situation) -> bool:
    return s.kvm


CPU = ("slower-cpu",)
KERNEL = ("kernel-time",)
BUSY = (*CPU, *KERNEL)
DISK = ("disk-throughput", "io-wait")
START = ("cold-start", "cold-cache")
WAITS = ("waiting",)
QUEUE = ("run-queue",)
SMALL = ("", "none")

REMEDIES = (
    Remedy(
        "cpu.mode", "host-passthrough", CPU,
        "A named model of processor hides instructions of the host's from libraries that choose their code by them.",
        "QEMU, System Emulation, Recommendations for KVM CPU model configuration on x86 hosts",
        lambda s: s.kvm and not s.is_at("cpu.mode", "host-passthrough", "maximum"),
    ),
    Remedy(
        "cpu.mode", "maximum", ("emulation",),
        "The emulator shows every instruction that it can, and programs need fewer of them for the same work.",
        "QEMU, System Emulation, CPU models: max",
        lambda s: not s.kvm and not s.is_at("cpu.mode", "maximum"),
    ),
    Remedy(
        "tcg.thread", "multi", ("emulation",),
        "Each virtual processor is emulated by a thread of its own.",
        "QEMU, Multi-threaded TCG",
        lambda s: not s.kvm and s.vcpus > 1 and s.is_at("tcg.thread", "single"),
    ),
    Remedy(
        "memory.hugepages", "2 MiB", BUSY,
        "A guest's translations go through two levels of page tables: large pages miss the translation caches less often.",
        "Linux, Documentation/admin-guide/mm/hugetlbpage.rst",
        lambda s: s.kvm and s.is_at("memory.hugepages", *SMALL),
    ),
    Remedy(
        "host.thp", "always", BUSY,
        "QEMU's memory gets large pages without a pool of them.",
        "Linux, Documentation/admin-guide/mm/transhuge.rst",
        lambda s: s.kvm and s.is_at("memory.hugepages", *SMALL) and s.is_at("host.thp", "madvise", "never"),
    ),
    Remedy(
        "cpu.vcpupin", "1:1", (*CPU, *QUEUE),
        "A virtual processor stays on one of the host's, with its caches.",
        "libvirt, Domain XML format, CPU Tuning",
        lambda s: s.vcpus <= s.cpus and s.is_at("cpu.vcpupin", *SMALL),
    ),
    Remedy(
        "numa.memory", "own", CPU,
        "The guest's memory lies on the memory node of its processors.",
        "libvirt, Domain XML format, NUMA Node Tuning",
        lambda s: (s.nodes or 1) > 1 and s.is_at("numa.memory", *SMALL),
    ),
    Remedy(
        "kvm.pv-tlb-flush", "on", KERNEL,
        "Flushes of other processors' translations wait for none that does not run.",
        "Linux, Documentation/virt/kvm/x86/cpuid.rst: KVM_FEATURE_PV_TLB_FLUSH",
        lambda s: s.kvm and s.vcpus > 1 and s.is_at("kvm.pv-tlb-flush", "", "off"),
    ),
    Remedy(
        "guest.clocksource", "kvm-clock", KERNEL,
        "Reading another clock asks the hypervisor each time.",
        "Linux, Documentation/virt/kvm/x86/timekeeping.rst",
        lambda s: s.kvm and s.clock_source not in (None, "kvm-clock", "tsc"),
    ),
    Remedy(
        "guest.mitigations", "off", KERNEL,
        "Each entry of the kernel does less; only where nobody else's code runs in the guest.",
        "Linux, Documentation/admin-guide/hw-vuln",
        lambda s: s.is_at("guest.mitigations", "", "auto"),
    ),
    Remedy(
        "guest.idle", "poll", WAITS,
        "A processor that waits a moment does not leave the guest, and needs not be woken by its host.",
        "Linux, Documentation/virt/guest-halt-polling.rst",
        lambda s: s.kvm and s.is_at("guest.idle", ""),
    ),
    Remedy(
        "memory.memballoon", "none", ("memory-limit",),
        "The host takes no memory back from the guest.",
        "libvirt, Domain XML format, Memory balloon device",
        lambda s: s.is_at("memory.memballoon", "", "virtio"),
    ),
    Remedy(
        "memory.nosharepages", "on", (*BUSY, "memory-limit"),
        "Pages that were merged with another guest's are copied at each first write.",
        "Linux, Documentation/admin-guide/mm/ksm.rst",
        lambda s: s.is_at("host.ksm", "on", "1") and s.is_at("memory.nosharepages", "", "off"),
    ),
    Remedy(
        "disk.cache", "writeback", DISK,
        "The host's page cache answers reads again, and gathers writes until the guest flushes.",
        "QEMU, qemu-system manual, -drive cache=",
        lambda s: not s.is_at("disk.cache", "writeback", "unsafe"),
    ),
    Remedy(
        "disk.io", "native", DISK,
        "Requests go to the kernel without a pool of threads; it takes cache none or directsync.",
        "libvirt, Domain XML format, Hard drives: driver io",
        lambda s: s.is_at("disk.cache", "none", "directsync") and s.is_at("disk.io", "", "threads"),
    ),
    Remedy(
        "disk.preallocation", "falloc", DISK,
        "The first write of a block needs no allocation on the host.",
        "QEMU, qemu-img manual, preallocation",
        lambda s: s.is_at("disk.preallocation", "", "off"),
    ),
    Remedy(
        "disk.bus", "virtio", DISK,
        "An emulated controller takes several exits for each request.",
        "OASIS, Virtual I/O Device 1.2, Block Device",
        lambda s: not s.is_at("disk.bus", "", "virtio", "scsi"),
    ),
    Remedy(
        "disk.iothread", "on", DISK,
        "Requests are served by a thread of their own, beside QEMU's main loop.",
        "libvirt, Domain XML format, IOThreads Allocation",
        lambda s: s.is_at("disk.iothread", "", "off"),
    ),
    Remedy(
        "disk.guest-filesystem", "xfs", (*WAITS, *DISK),
        "Writers of several files wait less for each other's locks.",
        "Linux, Documentation/filesystems/xfs",
        lambda s: s.vcpus > 1 and s.is_at("disk.guest-filesystem", "", "ext2", "ext4"),
    ),
    Remedy(
        "net.backend", "vhost", (*KERNEL, *WAITS),
        "The kernel moves the packets, not QEMU's main loop.",
        "libvirt, Domain XML format, Network interfaces: driver name",
        lambda s: s.network and not s.is_at("net.backend", "vhost"),
    ),
    Remedy(
        "net.queues", "2", (*KERNEL, *WAITS),
        "Several processors of the guest send and receive at once.",
        "libvirt, Domain XML format, Network interfaces: driver queues",
        lambda s: s.network and s.vcpus > 1 and s.is_at("net.queues", "", "1"),
    ),
)  # fmt: skip
"""For one cause the likeliest first; the order breaks ties of rank."""
