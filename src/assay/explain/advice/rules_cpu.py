"""The rules on processors, page tables, places on the host and exits."""

from __future__ import annotations

from assay.explain.advice.remedy import (
    BUSY,
    CPU,
    EXITS,
    FAULTS,
    FOR_INTERRUPTS,
    FOR_IO,
    KERNEL,
    QUEUE,
    REMOTE,
    TAKEN,
    TO_WAIT,
    WAITS,
    WALK_COUNTERS,
    WALKS,
    Remedy,
)
from assay.explain.advice.situation import Situation

MIB = 2**20
GIB = 2**30


def _cell_each(s: Situation) -> str:
    return str(s.own_nodes or 1)


def _can_have_cells(s: Situation) -> bool:
    """Tell whether a guest has processors of several nodes, pinned to them, and can be cut into as many equal
    cells.
    """
    nodes = s.own_nodes or 1
    page = GIB if s.is_at("memory.hugepages", "1 GiB") else 2 * MIB
    equal = s.vcpus % nodes == 0 and s.memory_bytes % (nodes * page) == 0
    return nodes > 1 and equal and s.is_at("cpu.vcpupin", "node") and s.is_at("numa.cell", "", "none", "1")


OF_CPU = (
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
        "numa.cell", _cell_each, CPU,
        "The guest's kernel knows the nodes that its processors stay on, and keeps memory near its users.",
        "CERN 2015, HS06 on hosts of two nodes: a gain of ~9 % together with numa.memory",
        _can_have_cells,
        part="cpi",
        on_host=(REMOTE,),
    ),
    Remedy(
        "host.numa_balancing", "1", CPU,
        "The host moves the memory of a guest that is bound to no node to the processors that use it.",
        "Linux, Documentation/admin-guide/sysctl/kernel.rst: numa_balancing",
        lambda s: s.kvm and (s.nodes or 1) > 1 and s.is_at("host.numa_balancing", "0")
        and s.is_at("numa.memory", "", "none"),
        part="cpi",
    ),
    Remedy(
        "host.numa_balancing", "0", BUSY,
        "The host unmaps pages to see who uses them: of a guest that is pinned and bound that only costs.",
        "Linux, Documentation/admin-guide/sysctl/kernel.rst: numa_balancing",
        lambda s: s.kvm and (s.nodes or 1) > 1 and s.is_at("host.numa_balancing", "1", "2") and s.placed,
        part="cpi", shown_by=FAULTS,
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
    Remedy(
        "host.mitigations", "off", KERNEL,
        "Each exit from the guest and each entry into it does less; only where the host trusts its guests.",
        "Linux, Documentation/admin-guide/hw-vuln/l1tf.rst: mitigation at each entry into a guest",
        lambda s: s.kvm and s.is_at("host.mitigations", "auto", "auto,nosmt"),
        shown_by=EXITS,
    ),
)  # fmt: skip
"""By what they are about, for one cause the likeliest first."""
