"""The rules on memory, starts, disks and networks."""

from __future__ import annotations

from assay.explain.advice.remedy import (
    BUSY,
    DISK,
    FAULTS,
    FOR_IO,
    KERNEL,
    START,
    WAITS,
    Remedy,
)
from assay.explain.advice.situation import Situation

MIB = 2**20
MOST_QUEUES = 256
"""Of a network card; a disk may have more, and gains nothing from them."""


def _twice(s: Situation) -> str:
    """Return twice the memory that guests of a layout have together."""
    mib = -(-2 * (s.shared_bytes or s.memory_bytes) // MIB)
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


OF_DEVICES = (
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
    Remedy(
        "disk.guest-filesystem", "ext4", KERNEL,
        "Many writers of small pieces spin on locks of this file system.",
        "IJCLab 2022, POWHEG on bare metal: 96 % of its CPU time in the kernel on XFS, 87 % on ext4",
        lambda s: s.vcpus > 1 and s.is_at("disk.guest-filesystem", "xfs"),
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
"""By what they are about, for one cause the likeliest first."""
