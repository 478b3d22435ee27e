"""A guest that somebody else made, as far as it can be told without changing anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.machines.machine import Machine
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, Platform
from assay.platforms.errors import asking_libvirt
from assay.platforms.existing.described import Described, parse_domain
from assay.platforms.existing.process import QemuProcess, find_process
from assay.platforms.guests.readback import parse_library_version
from assay.platforms.readback.cpu import hypervisor_cpu, threads_cpus
from assay.platforms.readback.exits import kvm_count
from assay.platforms.readback.weight import weigh

if TYPE_CHECKING:
    from libvirt import virDomain


class ExistingGuest:
    """A domain that runs and is used as it is.

    Args:
        domain: The domain, of a read-only connection.
        wanted: Its name and its hypervisor.
        machine: How it is reached.
    """

    def __init__(self, domain: virDomain, wanted: DomainSpec, machine: Machine) -> None:
        self._domain, self._spec, self.machine = domain, wanted, machine

    @property
    def name(self) -> str:
        """Return the name of its domain."""
        return self._spec.name

    @property
    def uuid(self) -> str:
        """Return its domain's UUID."""
        return str(self._domain.UUIDString())

    @asking_libvirt("look at a domain")
    def described(self) -> Described:
        """Return what its XML says now."""
        return parse_domain(str(self._domain.XMLDesc(0)))

    @asking_libvirt("look at a domain's pins")
    def pins(self) -> tuple[int, ...]:
        """Return the processors of its host that libvirt lets its vCPUs run on, sorted."""
        masks = self._domain.vcpuPinInfo(0)
        return tuple(sorted({cpu for mask in masks for cpu, may in enumerate(mask) if may}))

    @asking_libvirt("read a domain back")
    def platform(self) -> Platform:
        """Return what it is now.

        Raises:
            PlatformError: It is gone.
        """
        reported, connection = self.described(), self._domain.connect()
        return Platform(
            kind="libvirt",
            accelerator=reported.accelerator,
            why="it was found so",
            machine=reported.machine,
            cpu_model=reported.cpu_model,
            vcpus=reported.vcpus,
            memory_bytes=reported.memory_bytes,
            disk_format=reported.disk_format,
            disk_cache=reported.disk_cache,
            image=None,
            hypervisor=parse_library_version(connection.getVersion(), "QEMU"),
            library=parse_library_version(connection.getLibVersion()),
            cpus=self.cpus(),
            domain_xml=str(self._domain.XMLDesc(0)),
        )

    def cpus(self) -> tuple[int, ...]:
        """Return where its threads may run: by the kernel where that is this machine's, else its vCPUs by
        libvirt.
        """
        process = self._process()
        if process is None:
            return self.pins()
        return tuple(sorted({cpu for cpus in threads_cpus(process.pid).values() for cpu in cpus}))

    @property
    def pid(self) -> int | None:
        """Return its QEMU process; ``None`` where that is on another machine, or is not shown to us."""
        return find_process(self.uuid) if self._spec.local else None

    def weight(self) -> GuestWeight | None:
        """Return what it holds of its host; ``None`` where that is elsewhere, is not shown to us, or has no
        disk file.
        """
        process, reported = self._process(), self.described()
        if process is None or reported.disk is None or not _is_file(reported.disk):
            return None
        return weigh(process, memory_bytes=sum(reported.cells), disk=reported.disk)

    def hypervisor_cpu(self) -> HypervisorCpu | None:
        """Return the CPU seconds of its QEMU process so far; ``None`` where that is on another machine."""
        process = self._process()
        if process is None or not (vcpus := process.vcpu_threads):
            return None
        return replace(
            hypervisor_cpu(process.pid, vcpus),
            exits=kvm_count(process.pid, "exits"),
            page_table_faults=kvm_count(process.pid, "pf_fixed"),
            tlb_flushes=kvm_count(process.pid, "tlb_flush"),
        )

    def _process(self) -> QemuProcess | None:
        return None if (pid := self.pid) is None else QemuProcess(pid, self.described().cells)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in a folder that only its owner may enter, as libvirt's images are
        return False
