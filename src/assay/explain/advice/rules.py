"""The rules: a setting, the causes that it may lift, when it is worth a trial, and who says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.explain.advice.situation import Situation

MIB = 2**20
MOST_QUEUES = 256
"""Of a network card; a disk may have more, and gains nothing from them."""
When = Callable[[Situation], bool]
Level = Callable[[Situation], str]


@dataclass(frozen=True)
class Remedy:
    """A setting that may lift a cause.

    Attributes:
        factor: Name of the factor.
        level: The level to try, or what makes it of the guest.
        causes: Codes of the causes that it may lift.
        why: What it does about them, one sentence.
        source: Who says so.
        when: Whether it is worth a trial.
        part: The factor of CPU time that it may lift, where the cause is divided: ``instructions``, ``cpi``
            or ``frequency``; empty is any.
        shown_by: Figures of the budget that are larger on the treatment where it may help; where they were
            counted and are not, it is not advised. Empty where none shows it.
        counters: Counters to count where none of ``shown_by`` was.
        on_host: What its host counts of a guest where it may help (``situation.on_host``): where that was
            counted it decides in the place of ``shown_by``.
    """

    factor: str
    level: str | Level
    causes: tuple[str, ...]
    why: str
    source: str
    when: When
    part: str = ""
    shown_by: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    on_host: tuple[str, ...] = ()

    def level_for(self, situation: Situation) -> str:
        """Return the level to try in a situation."""
        return self.level if isinstance(self.level, str) else self.level(situation)


def _twice(s: Situation) -> str:
    mib = -(-2 * s.memory_bytes // MIB)
    return f"{mib // 1024} GiB" if mib % 1024 == 0 else f"{mib} MiB"


def _one_each(s: Situation) -> str:
    return str(min(s.vcpus, MOST_QUEUES))


_COPIES = (
    "disk.format",
    "disk.preallocation",
    "disk.cluster_size",
    "disk.extended_l2",
    "disk.lazy_refcounts",
)
"""Factors of a disk that is a copy of the image, and can lie over it, too (``factors.disk.image_rules``)."""
_ALONE = ("disk.host-filesystem", "disk.place", "disk.guest-filesystem")
"""Factors of a disk below which no image can lie."""


def _copied(s: Situation) -> bool:
    """Tell whether each guest's disk is a copy of its own that could lie over the image, and its host keeps
    pages of it.
    """
    makes_a_copy = any(name in s.levels for name in _COPIES)
    copy = s.is_at("disk.backing", "0") or (s.is_at("disk.backing", "") and makes_a_copy)
    can = not s.is_at("disk.format", "raw") and not any(s.levels.get(name) for name in _ALONE)
    can = can and (s.is_at("disk.preallocation", "", "off") or s.is_at("disk.extended_l2", "on"))
    return copy and can and not s.is_at("disk.cache", "none", "directsync")


CPU = ("slower-cpu",)
KERNEL = ("kernel-time",)
BUSY = (*CPU, *KERNEL)
DISK = ("disk-throughput", "io-wait")
START = ("cold-start", "cold-cache")
WAITS = ("waiting",)
QUEUE = ("run-queue",)
EXITS = ("exits from the guest",)
TO_WAIT, FOR_IO, FOR_INTERRUPTS = "exits to wait", "exits for I/O", "exits for interrupts"
"""Exits by reason: HLT; port and memory-mapped I/O; interrupts, and the wait until one can be taken."""
REMOTE = "NUMA faults on remote memory"
TAKEN = ("stolen by a hypervisor", "vCPUs waited for a processor")
WALKS = ("dtlb-walks", "dtlb-load-misses", "faults in its second page tables")
WALK_COUNTERS = ("dtlb-load-misses", "dtlb-walks")
FAULTS = ("faults in its second page tables",)

REMEDIES = (
    # The processor that the guest sees
    Remedy(
        "cpu.mode", "host-passthrough", CPU,
        "A named model of processor hides instructions from libraries that choose their code by them.",
        "QEMU, System Emulation, Recommendations for KVM CPU model configuration on x86 hosts",
        lambda s: s.kvm and not s.own_cpu and s.missing != (),
        part="instructions",
    ),
    Remedy(
        "cpu.mode", "maximum", ("emulation",),
        "The emulator shows every instruction that it can: programs need fewer of them for the same work.",
        "QEMU, System Emulation, CPU models: max",
        lambda s: not s.kvm and not s.own_cpu,
    ),
    Remedy(
        "tcg.thread", "multi", ("emulation",),
        "Each virtual processor is emulated by a thread of its own.",
        "QEMU, Multi-threaded TCG",
        lambda s: not s.kvm and s.vcpus > 1 and s.is_at("tcg.thread", "single"),
    ),
    Remedy(
        "tcg.tb-cache", "1 GiB", ("emulation",),
        "Translated code that does not fit is translated again and again.",
        "QEMU, Translator Internals",
        lambda s: not s.kvm and not s.is_at("tcg.tb-cache", "", "1 GiB", "2 GiB"),
    ),
    Remedy(
        "cpu.cache", "passthrough", CPU,
        "Libraries that divide their work by the size of the last cache see the one that is there.",
        "libvirt, Domain XML format, CPU model and topology: cache",
        lambda s: s.kvm and s.own_cpu and s.is_at("cpu.cache", "", "disable"),
        part="cpi",
    ),
    # Page tables: TLB misses, walks, EPT and NPT
    Remedy(
        "memory.hugepages", "2 MiB", BUSY,
        "A guest's translations go through two levels of page tables: large pages miss the TLB less often.",
        "Linux, Documentation/admin-guide/mm/hugetlbpage.rst",
        lambda s: s.kvm and s.is_at("memory.hugepages", "", "none"),
        part="cpi", shown_by=WALKS, counters=WALK_COUNTERS,
    ),
    Remedy(
        "host.thp", "always", BUSY,
        "QEMU's memory gets large pages without a pool of them.",
        "Linux, Documentation/admin-guide/mm/transhuge.rst",
        lambda s: s.kvm and s.is_at("memory.hugepages", "", "none")
        and s.is_at("host.thp", "madvise", "never"),
        part="cpi", shown_by=WALKS, counters=WALK_COUNTERS,
    ),
    Remedy(
        "guest.transparent_hugepage", "always", BUSY,
        "The job's memory gets large pages in the guest's own tables too.",
        "Linux, Documentation/admin-guide/mm/transhuge.rst",
        lambda s: s.is_at("guest.transparent_hugepage", "never"),
        part="cpi", shown_by=WALKS, counters=WALK_COUNTERS,
    ),
    Remedy(
        "memory.allocation", "immediate", KERNEL,
        "The first touch of a page needs no fault on the host.",
        "libvirt, Domain XML format, Memory Backing: allocation",
        lambda s: s.kvm and s.is_at("memory.allocation", "", "ondemand"),
        shown_by=FAULTS,
    ),
    Remedy(
        "host.ept", "Y", BUSY,
        "Without nested paging each change of a guest's page tables leaves it.",
        "Linux, Documentation/virt/kvm/x86/mmu.rst",
        lambda s: s.kvm and s.is_at("host.ept", "N"),
    ),
    Remedy(
        "host.npt", "Y", BUSY,
        "Without nested paging each change of a guest's page tables leaves it.",
        "Linux, Documentation/virt/kvm/x86/mmu.rst",
        lambda s: s.kvm and s.is_at("host.npt", "N"),
    ),
    Remedy(
        "host.nx_huge_pages", "N", BUSY,
        "Large pages with code are not split; only where the host trusts its guests.",
        "Linux, Documentation/admin-guide/hw-vuln/multihit.rst",
        lambda s: s.kvm and s.is_at("host.nx_huge_pages", "Y"),
        part="cpi", shown_by=FAULTS,
    ),
    # Where the processors and the memory are
    Remedy(
        "numa.memory", "strict:own", CPU,
        "The guest's memory lies on the memory node of its processors.",
        "libvirt, Domain XML format, NUMA Node Tuning",
        lambda s: (s.nodes or 1) > 1 and s.is_at("numa.memory", "", "none"),
        part="cpi",
        on_host=(REMOTE,),
    ),
    Remedy(
        "cpu.vcpupin", "node", CPU,
        "The guest's processors stay on one memory node of the host.",
        "libvirt, Domain XML format, CPU Tuning",
        lambda s: (s.nodes or 1) > 1 and s.is_at("cpu.vcpupin", "", "none"),
        part="cpi",
        on_host=(REMOTE,),
    ),
    Remedy(
        "cpu.vcpupin", "1:1", (*CPU, *QUEUE),
        "A virtual processor stays on one of the host's, with its caches, and meets none of its own guest's.",
        "libvirt, Domain XML format, CPU Tuning",
        lambda s: s.vcpus <= s.cpus and s.is_at("cpu.vcpupin", "", "none"),
        part="cpi",
    ),
    Remedy(
        "cpu.vcpus", lambda s: str(s.cpus), QUEUE,
        "More virtual processors than the host has for them wait for each other.",
        "Linux, Documentation/virt/kvm/x86/cpuid.rst: KVM_FEATURE_STEAL_TIME",
        lambda s: s.vcpus > s.cpus,
    ),
    Remedy(
        "cpu.shares", "2048", QUEUE,
        "Where others want the same processors the guest gets a larger part of them: they get less.",
        "libvirt, Domain XML format, CPU Tuning: shares",
        lambda s: s.vcpus <= s.cpus and s.is_at("cpu.shares", ""),
        shown_by=TAKEN,
    ),
    Remedy(
        "cpu.quota", "none", ("cpu-quota",),
        "The virtual processors are not held back.",
        "libvirt, Domain XML format, CPU Tuning",
        lambda s: not s.is_at("cpu.quota", "", "none"),
    ),
    Remedy(
        "host.governor", "performance", CPU,
        "The processors do not wait for load to raise their frequency.",
        "Linux, Documentation/admin-guide/pm/cpufreq.rst",
        lambda s: s.is_at("host.governor", "powersave", "ondemand", "conservative", "schedutil"),
        part="frequency",
    ),
    # Exits: interrupts, timers, clocks, idle processors
    Remedy(
        "kvm.pv-tlb-flush", "on", KERNEL,
        "Flushes of other processors' translations wait for none that does not run.",
        "Linux, Documentation/virt/kvm/x86/cpuid.rst: KVM_FEATURE_PV_TLB_FLUSH",
        lambda s: s.vcpus > 1 and s.lacks("kvm.pv-tlb-flush"),
        shown_by=("flushes of its translations",),
    ),
    Remedy(
        "kvm.pv-ipi", "on", KERNEL,
        "Interrupts to many virtual processors take one exit.",
        "Linux, Documentation/virt/kvm/x86/cpuid.rst: KVM_FEATURE_PV_SEND_IPI",
        lambda s: s.vcpus > 1 and s.lacks("kvm.pv-ipi"),
        shown_by=EXITS,
        on_host=(FOR_INTERRUPTS,),
    ),
    Remedy(
        "apic.eoi", "on", KERNEL,
        "The end of an interrupt takes no exit.",
        "Linux, Documentation/virt/kvm/x86/msr.rst: MSR_KVM_PV_EOI_EN",
        lambda s: s.lacks("apic.eoi"),
        shown_by=EXITS,
        on_host=(FOR_INTERRUPTS,),
    ),
    Remedy(
        "cpu.pvspinlock", "on", (*KERNEL, *QUEUE),
        "Who waits for a lock yields to who holds it and does not run.",
        "Linux, Documentation/virt/kvm/x86/cpuid.rst: KVM_FEATURE_PV_UNHALT",
        lambda s: s.vcpus > 1 and s.lacks("cpu.pvspinlock"),
    ),
    Remedy(
        "guest.clocksource", "kvm-clock", (*CPU, *KERNEL),
        "Reading another clock asks the hypervisor each time.",
        "Linux, Documentation/virt/kvm/x86/timekeeping.rst",
        lambda s: s.kvm and s.clock_source not in (None, "kvm-clock", "tsc"),
        shown_by=EXITS,
        on_host=(FOR_IO,),
    ),
    Remedy(
        "clock.hpet", "no", KERNEL,
        "A guest with this timer wakes up more often than it needs to.",
        "QEMU, qemu-system manual, -machine hpet=",
        lambda s: s.kvm and s.is_at("clock.hpet", "", "yes") and s.clock_source == "hpet",
        shown_by=EXITS,
        on_host=(FOR_IO, FOR_INTERRUPTS),
    ),
    Remedy(
        "host.halt_poll_ns", "200000", WAITS,
        "The host's processor waits a moment for a virtual one that has nothing to do, and wakes it at once.",
        "Linux, Documentation/virt/kvm/halt-polling.rst",
        lambda s: s.kvm and s.levels.get("host.halt_poll_ns", "200000").isdigit()
        and int(s.levels.get("host.halt_poll_ns", "200000")) < 200_000,
        shown_by=("context switches to wait",),
        on_host=(TO_WAIT,),
    ),
    Remedy(
        "guest.idle", "poll", WAITS,
        "A virtual processor that waits does not leave the guest, and keeps its processor of the host busy.",
        "Linux, Documentation/admin-guide/kernel-parameters.txt: idle=",
        lambda s: s.kvm and s.vcpus <= s.cpus and s.is_at("guest.idle", ""),
        shown_by=("context switches to wait",),
        on_host=(TO_WAIT,),
    ),
    Remedy(
        "guest.mitigations", "off", KERNEL,
        "Each entry of the guest's kernel does less; only where nobody else's code runs in it.",
        "Linux, Documentation/admin-guide/hw-vuln",
        lambda s: s.is_at("guest.mitigations", "", "auto", "auto,nosmt"),
    ),
    # Memory that is taken back or shared
    Remedy(
        "memory.size", _twice, ("memory-limit",),
        "The job and its page cache find room.",
        "libvirt, Domain XML format, Memory Allocation",
        lambda _: True,
    ),
    Remedy(
        "memory.memballoon", "none", ("memory-limit", *KERNEL),
        "The host takes no memory back from the guest.",
        "libvirt, Domain XML format, Memory balloon device",
        lambda s: s.is_at("memory.memballoon", "virtio"),
    ),
    Remedy(
        "memory.nosharepages", "on", BUSY,
        "Pages that were merged with another guest's are copied at each first write.",
        "Linux, Documentation/admin-guide/mm/ksm.rst",
        lambda s: s.is_at("host.ksm", "1") and s.merged != 0 and s.is_at("memory.nosharepages", "", "off"),
        shown_by=FAULTS,
    ),
    # The start: what of its files lies in memory, and who starts beside it
    Remedy(
        "start.preload", "on", START,
        "The files that a start reads lie in the guest's page cache before it.",
        "JUNO 2017, software in memory: a loss of 20 % became 7 %",
        lambda s: s.is_at("start.preload", "", "off"),
    ),
    Remedy(
        "start.stagger", "10 s", (*START, *DISK),
        "Jobs that start one after the other do not read their files at the same time.",
        "JUNO 2017, starts 5 minutes apart: a loss of 20 % became 6.21 %",
        lambda s: s.guests > 1 and s.is_at("start.stagger", "", "0 s"),
    ),
    Remedy(
        "disk.backing", "1", START,
        "Guests over one base image find in the host's page cache what another has read of it.",
        "QEMU, System Emulation, Disk Images: backing files",
        lambda s: s.guests > 1 and _copied(s),
    ),
    # The disk
    Remedy(
        "disk.cache", "writeback", (*DISK, *START),
        "The host's page cache answers reads again, and gathers writes until the guest flushes.",
        "QEMU, qemu-system manual, -drive cache=",
        lambda s: not s.is_at("disk.cache", "writeback", "unsafe"),
    ),
    Remedy(
        "disk.io", "native", DISK,
        "Requests go to the kernel without a pool of threads.",
        "libvirt, Domain XML format, Hard drives: driver io",
        lambda s: s.is_at("disk.cache", "none", "directsync") and s.is_at("disk.io", "", "threads"),
    ),
    Remedy(
        "disk.preallocation", "falloc", DISK,
        "The first write of a block needs no allocation on the host.",
        "QEMU, qemu-img manual, preallocation",
        lambda s: s.is_at("disk.preallocation", "", "off") and s.is_at("disk.backing", "", "0"),
    ),
    Remedy(
        "disk.format", "raw", DISK,
        "No tables stand between a block of the guest's and its place in the file.",
        "QEMU, System Emulation, Disk Images",
        lambda s: s.is_at("disk.format", "", "qcow2") and s.is_at("disk.backing", "", "0"),
    ),
    Remedy(
        "disk.bus", "virtio", DISK,
        "An emulated controller takes several exits for each request.",
        "OASIS, Virtual I/O Device 1.2, Block Device",
        lambda s: not s.is_at("disk.bus", "", "virtio", "scsi"),
        on_host=(FOR_IO,),
    ),
    Remedy(
        "disk.iothread", "on", DISK,
        "Requests are served by a thread of their own, beside QEMU's main loop.",
        "libvirt, Domain XML format, IOThreads Allocation",
        lambda s: s.is_at("disk.iothread", "", "off") and s.is_at("disk.bus", "", "virtio", "scsi"),
    ),
    Remedy(
        "disk.queues", _one_each, DISK,
        "Each virtual processor has a queue of its own.",
        "libvirt, Domain XML format, Hard drives: driver queues",
        lambda s: s.vcpus > 1 and s.is_at("disk.queues", "1") and s.is_at("disk.bus", "", "virtio", "scsi"),
    ),
    Remedy(
        "disk.guest-filesystem", "xfs", (*WAITS, *DISK, *KERNEL),
        "Writers of several files wait less for each other's locks.",
        "Linux, Documentation/filesystems/xfs",
        lambda s: s.vcpus > 1 and s.is_at("disk.guest-filesystem", "", "ext2", "ext4", "ext4-nojournal"),
        shown_by=("context switches to wait",),
    ),
    # The network
    Remedy(
        "net.backend", "ethernet", (*KERNEL, *WAITS),
        "The packets go through the kernel, not through a stack in QEMU.",
        "QEMU, System Emulation, Network emulation: user mode network stack",
        lambda s: s.network and s.is_at("net.backend", "user", "passt"),
    ),
    Remedy(
        "net.model", "virtio", (*KERNEL, *WAITS),
        "An emulated card takes several exits for each packet.",
        "OASIS, Virtual I/O Device 1.2, Network Device",
        lambda s: s.network and not s.is_at("net.model", "", "virtio"),
        on_host=(FOR_IO,),
    ),
    Remedy(
        "net.driver", "vhost", (*KERNEL, *WAITS),
        "The kernel moves the packets, not QEMU's main loop.",
        "libvirt, Domain XML format, Network interfaces: driver name",
        lambda s: s.kvm and s.network and s.is_at("net.driver", "qemu"),
    ),
    Remedy(
        "net.queues", _one_each, (*KERNEL, *WAITS),
        "Several processors of the guest send and receive at once.",
        "libvirt, Domain XML format, Network interfaces: driver queues",
        lambda s: s.network and s.vcpus > 1 and s.is_at("net.queues", "", "1"),
    ),
)  # fmt: skip
"""By what they are about, for one cause the likeliest first; the order breaks ties of rank."""
