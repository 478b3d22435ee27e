"""Machines: how to reach one, what it is, and what a trial may use of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Reach(StrEnum):
    """How a machine is reached."""

    LOCAL = "local"
    SSH = "ssh"
    SLURM = "slurm"
    HTCONDOR = "htcondor"


@dataclass(frozen=True)
class Machine:
    """An evaluation machine of the inventory.

    Attributes:
        name: The site's name for it; ``local`` is always this machine.
        reach: ``local``, ``ssh``, or the batch system that gives it: ``slurm``, ``htcondor``.
        host: Host name or address (ssh); the node's name (slurm, htcondor).
        user: Account on it (ssh); ``None`` leaves it to the user's ssh configuration.
        port: Port (ssh); ``None`` leaves it to the user's ssh configuration.
        host_key: The machine's public key line if it is known by other means than ``known_hosts``
            (a guest's comes from its image); ``None`` asks ``known_hosts``.
        identity: Path of the private key to use; ``None`` leaves it to the user's ssh configuration.
        carrier: The machine that it is a guest of, and through which it is reached; ``None`` is "not said".
        job: What the job that holds it is asked for, by name (``partition``); empty for a machine of no batch
            system.
    """

    name: str
    reach: Reach = Reach.LOCAL
    host: str | None = None
    user: str | None = None
    port: int | None = None
    host_key: str | None = None
    identity: str | None = None
    carrier: Machine | None = None
    job: tuple[tuple[str, str], ...] = ()

    @property
    def metal(self) -> str:
        """Name of the machine whose processors it has: its own, or that of the one that it is a guest of."""
        return self.name if self.carrier is None else self.carrier.name


@dataclass(frozen=True)
class Facts:
    """What the probe sees of a machine, as far as the doubts need it; ``None`` is "not there".

    Attributes:
        hostname: Node name.
        kernel: Release of the running kernel.
        architecture: ``x86_64``.
        cpu_model: Model name of the first processor.
        cpus: Identifiers of the online processors that the probe may use.
        cache_bytes: Size of the largest data cache times the number of its instances.
        memory_bytes: Total memory.
        hypervisor: The processor says that it is virtual (``hypervisor`` flag).
        clock_source: The kernel's current clock source.
        governor: Frequency governor of the first processor.
        thp: Transparent huge pages mode in force.
        cgroup: ``v1``, ``v2``, ``hybrid``, or ``None`` where no group can be made.
        boot_id: The kernel's identity of this boot; trials of one boot are not independent.
        siblings: Processors that share a core, one tuple a core, of those in ``cpus``, those of a memory
            node one after the other; empty is "not known".
    """

    hostname: str
    kernel: str
    architecture: str
    cpu_model: str | None
    cpus: tuple[int, ...]
    cache_bytes: int | None
    memory_bytes: int
    hypervisor: bool | None
    clock_source: str | None
    governor: str | None
    thp: str | None
    cgroup: str | None
    boot_id: str | None = None
    siblings: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Fingerprint:
    """All that the probe sees of a machine at one time.

    Attributes:
        facts: What the doubts need.
        groups: Everything else by group and field (``docs/facts.md``): an open tree, since machines differ
            in what they have; ``None`` is "not there".
        taken_ns: When it was taken, wall clock of the controller.
    """

    facts: Facts
    groups: Mapping[str, Mapping[str, object]]
    taken_ns: int


@dataclass(frozen=True)
class Limits:
    """What a trial may use of a machine.

    Attributes:
        cpus: Processors that the workload is confined to; empty is "all".
        memory_bytes: Limit on its memory; ``None`` is "no limit".
        cpu_quota: Share of the processors' time, 0 < quota <= 1; ``None`` is "all of it".
        read_bytes_per_s: Bytes a second from each of ``disks``; ``None`` is "no limit".
        write_bytes_per_s: The same to the one that carries its folder; with control groups of version 1
            direct writes alone.
        pause: Share of the time in which it is made to stand still, 0 < pause <= 0.9; ``None`` is "none".
        disks: Those that the limit of reads holds for: what is asked for names devices, or what lies on
            them, a record the disks. Empty is the one that carries its folder, in older records too.
    """

    cpus: tuple[int, ...] = ()
    memory_bytes: int | None = None
    cpu_quota: float | None = None
    read_bytes_per_s: int | None = None
    write_bytes_per_s: int | None = None
    pause: float | None = None
    disks: tuple[str, ...] = ()
