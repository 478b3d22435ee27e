"""A virtual platform as it really was."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.machines.clock import ClockSet


@dataclass(frozen=True)
class SeenFactor:
    """A setting as it was seen from outside after the start.

    Attributes:
        name: Name of the factor, ``disk.cache``.
        level: The level in force; a guest in which it is not the one asked for never runs a trial.
        how: Where it was seen, one clause.
    """

    name: str
    level: str
    how: str


@dataclass(frozen=True)
class Restored:
    """The saved state that a guest comes from, instead of a boot of its own.

    Attributes:
        state: Digest of the saved state; all guests of one state share its boot.
        clock: How its clock was set before it was used; ``None`` for one that was found again.
    """

    state: str
    clock: ClockSet | None = None


@dataclass(frozen=True)
class Platform:
    """A guest as started, read back from the hypervisor; ``None`` is "not told", of guests that others made.

    Attributes:
        kind: ``libvirt``.
        accelerator: ``kvm`` or ``tcg``.
        why: One sentence: why this accelerator.
        machine: QEMU machine type in force.
        cpu_model: CPU model given to the guest.
        vcpus: Number of virtual processors.
        memory_bytes: Memory of the guest.
        disk_format: Format of its (first) disk, ``qcow2``.
        disk_cache: Cache mode of its disk in force, ``none``.
        image: Content hash of the image's recipe; ``None`` where it is none of ours.
        hypervisor: QEMU's version, ``QEMU 7.2.22``; of a guest that others made the one that libvirt starts
            guests by.
        library: libvirt's version, ``libvirt 9.0.0``.
        cpus: Host processors that the whole QEMU process is confined to, read back from the kernel; where
            that is on another machine, those that libvirt tells of its vCPUs.
        domain_xml: The domain as libvirt holds it; empty where ``domain`` says where it lies.
        factors: The settings that were asked for beside these, each seen in force.
        restored: The saved state that it comes from; ``None`` for one that booted.
        domain: SHA-256 in hex of the domain, which lies in ``objects/`` of the activity.
    """

    kind: str
    accelerator: str
    why: str
    machine: str
    cpu_model: str
    vcpus: int
    memory_bytes: int
    disk_format: str | None
    disk_cache: str | None
    image: str | None
    hypervisor: str
    library: str
    cpus: tuple[int, ...]
    domain_xml: str
    factors: tuple[SeenFactor, ...] = ()
    restored: Restored | None = None
    domain: str | None = None


@dataclass(frozen=True)
class HypervisorCpu:
    """What a guest cost its host over a trial.

    Attributes:
        vcpu_s: CPU seconds of the QEMU process's vCPU threads.
        other_s: CPU seconds of its other threads.
        exits: Times that a vCPU left the guest; ``None`` under TCG and where KVM does not tell, as what
            follows.
        page_table_faults: Faults in the guest's second page tables (EPT, NPT) that KVM resolved.
        tlb_flushes: Times that KVM flushed the guest's translations.
        vcpu_migrations: Times that each vCPU thread came to another processor of the host, in the order of
            the threads' numbers, of several guests one guest after the other; ``None`` where the host's
            kernel has no ``/proc/PID/task/TID/sched`` (CONFIG_SCHED_DEBUG), and in records before format
            1.11.
    """

    vcpu_s: float
    other_s: float
    exits: int | None = None
    page_table_faults: int | None = None
    tlb_flushes: int | None = None
    vcpu_migrations: tuple[int, ...] | None = None


@dataclass(frozen=True)
class GuestWeight:
    """What a guest holds of its host, read there at the end of a trial.

    Attributes:
        memory_bytes: Memory that the guest was given.
        touched_bytes: The part of it that the host holds: what the guest has touched so far.
        beside_bytes: What the QEMU process holds beside it: its code, tables and buffers.
        disk_bytes: What the guest's own disk takes on the host's file system.
        age_s: Seconds since the start of the QEMU process.
    """

    memory_bytes: int
    touched_bytes: int
    beside_bytes: int
    disk_bytes: int
    age_s: float
