"""A guest: started, found again after a crash, read back, and removed."""

from __future__ import annotations

import contextlib
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.factors.catalogue import of_outside, verify
from assay.factors.cpu.pin_sets import cpus_of_others
from assay.model.machines.clock import ClockSet
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, Platform, Restored, SeenFactor
from assay.platforms.errors import GuestBootError, PlatformError, asking_libvirt
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.filesystems.share import see_share, serves
from assay.platforms.filesystems.share_server import share_servers
from assay.platforms.guests.boot import wait_usable
from assay.platforms.guests.domain import draft_guest, to_xml
from assay.platforms.guests.domains import (
    define_domain,
    find_domain,
    read_mark,
    remove_domain,
    runs,
    start_domain,
    write_mark,
)
from assay.platforms.guests.files import lay_keys, lend_files, make_guest_folder
from assay.platforms.guests.guest_disk import lay_disk
from assay.platforms.guests.keys import login_of
from assay.platforms.guests.readback import platform_of
from assay.platforms.guests.spec import Accelerator, GuestSpec
from assay.platforms.guests.specfile import read_origin, read_spec, write_spec
from assay.platforms.host.this_host import ThisHost
from assay.platforms.images.stored import Login
from assay.platforms.readback.cpu import (
    confined_to,
    hypervisor_cpu,
    node_cpus,
    process_of_thread,
    threads_cpus,
)
from assay.platforms.readback.exits import kvm_count
from assay.platforms.readback.host_view import HostView
from assay.platforms.readback.monitor import ask, parse_vcpu_threads
from assay.platforms.readback.weight import weigh
from assay.platforms.readers import make_way, qemu_group

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain

__all__ = ["Accelerator", "Guest", "GuestSpec", "find_guest", "pick_port", "pick_ports", "start_guest"]


class Guest:
    """A guest that was made by ``start_guest`` or found again by ``find_guest``.

    Args:
        domain: Its domain.
        spec: What it was made from.
        boot_s: Seconds from its start until it was usable; ``None`` for one found again.
        saved: The saved state that it was restored from; ``None`` for one that booted.

    Attributes:
        clock: How its clock was set when it was restored; ``None`` for one that booted or was found again.
    """

    def __init__(
        self, domain: virDomain, spec: GuestSpec, *, boot_s: float | None, saved: str | None = None
    ) -> None:
        self._domain, self.spec, self.boot_s, self.saved = domain, spec, boot_s, saved
        self.clock: ClockSet | None = None

    @property
    def domain(self) -> virDomain:
        """Return its domain."""
        return self._domain

    @property
    def name(self) -> str:
        """Return the name of its domain."""
        return self.spec.name

    @property
    def machine(self) -> Machine:
        """Return how to reach it: SSH over the management interface, by the keys of this guest.

        Raises:
            PlatformError: they are gone.
        """
        login = self.login
        return Machine(
            name="guest",
            reach=Reach.SSH,
            host="127.0.0.1",
            user=login.user,
            port=self.spec.port,
            host_key=login.host_key,
            identity=str(login.identity),
        )

    @cached_property
    def login(self) -> Login:
        """Return how it lets us in."""
        return login_of(self.spec.image, self.spec.folder)

    @property
    def pid(self) -> int:
        """Return the pid of its QEMU process.

        Raises:
            PlatformError: it does not run.
        """
        return process_of_thread(min(self._vcpu_threads()))

    @asking_libvirt("read a guest back")
    def platform(self) -> Platform:
        """Return what it really is, read back from libvirt, QEMU and the kernel.

        Raises:
            PlatformError: it does not run, a thread of QEMU may leave the processors of its spec, or a
                setting of its spec is not in force. What only its own kernel can tell is not looked at.
        """
        allowed = (*self.spec.cpus, *cpus_of_others(dict(self.spec.settings)))
        cpus = confined_to(threads_cpus(self.pid), allowed)
        platform = platform_of(self._domain, self.spec, cpus=cpus)
        restored = None if self.saved is None else Restored(self.saved, self.clock)
        return replace(platform, factors=self._factors(self._outside()), restored=restored)

    @asking_libvirt("weigh a guest")
    def weight(self) -> GuestWeight | None:
        """Return what it holds of its host now; ``None`` where that cannot be told.

        Raises:
            PlatformError: it does not run.
        """
        return weigh(self._outside(), memory_bytes=self.spec.memory_bytes, disk=self.spec.disk)

    def _outside(self) -> HostView:
        return HostView(self._domain, host=ThisHost(), disk=self.spec.disk)

    def _factors(self, outside: HostView) -> tuple[SeenFactor, ...]:
        seen = verify(of_outside(dict(self.spec.settings)), outside)
        for one in seen:
            if not one.ok:
                msg = (
                    f"cannot use guest {self.name}: {one.name} is {one.actual}, not {one.wanted}, by "
                    f"{one.how}"
                )
                raise PlatformError(msg, hint=f"assay factors try {one.name}={one.wanted}")
        return tuple(SeenFactor(one.name, one.actual, one.how) for one in seen)

    @asking_libvirt("look at a guest's shared folder")
    def shared(self) -> tuple[SeenFactor, ...]:
        """Return how it has the host's folder that it was given, seen from outside; empty where it was given
        none.

        Raises:
            PlatformError: it does not have it as asked for, or what serves it may leave the guest's
                processors.
        """
        share, servers = self.spec.share, share_servers()
        if share is None:
            return ()
        self._confine_servers([server.pid for server in servers if serves(share, server.words)])
        return see_share(share, self._outside().command, [server.words for server in servers])

    def _confine_servers(self, pids: list[int]) -> None:
        """Require that what serves its folder keeps to its processors; another guest's may serve the same
        folder.

        Raises:
            PlatformError: None of these processes does.
        """
        allowed = {*self.spec.cpus, *cpus_of_others(dict(self.spec.settings))}
        threads = [threads_cpus(pid) for pid in pids]
        if threads and not any(all(map(allowed.issuperset, one.values())) for one in threads):
            confined_to(threads[0], tuple(sorted(allowed)))

    @asking_libvirt("read the CPU of a guest")
    def hypervisor_cpu(self) -> HypervisorCpu:
        """Return the CPU seconds and KVM's counts of it since its start; the difference of two is a trial's.

        Raises:
            PlatformError: it does not run.
        """
        vcpus = self._vcpu_threads()
        pid = process_of_thread(min(vcpus))
        return replace(
            hypervisor_cpu(pid, vcpus),
            exits=kvm_count(pid, "exits"),
            page_table_faults=kvm_count(pid, "pf_fixed"),
            tlb_flushes=kvm_count(pid, "tlb_flush"),
        )

    @asking_libvirt("mark a guest")
    def mark_pending(self, pending: bool) -> None:
        """Say whether it holds a record not yet collected; ``clean`` then leaves it alone."""
        write_mark(self._domain, pending=pending)

    @asking_libvirt("end a guest")
    def end(self) -> None:
        """Stop it at once and remove its domain alone; one that is gone is no error."""
        remove_domain(self._domain)

    @asking_libvirt("remove a guest")
    def destroy(self) -> None:
        """Stop it at once and remove its domain, disk and console; one that is gone is no error."""
        remove_domain(self._domain)
        remove_folder(self.spec.folder)

    def _vcpu_threads(self) -> frozenset[int]:
        return parse_vcpu_threads(ask(self._domain, "query-cpus-fast"))


@asking_libvirt("boot a guest")
def start_guest(
    connection: virConnect,
    spec: GuestSpec,
    *,
    timeout_s: float = 120.0,
    on_wait: Callable[[float], None] | None = None,
) -> Guest:
    """Make a guest and wait until it is usable; whatever goes wrong, nothing of it is left.

    What a crash left under the same name is removed first, unless it runs and holds a record.

    Args:
        connection: libvirt's system daemon.
        spec: What it shall be.
        timeout_s: Seconds until it must be usable.
        on_wait: Called with the seconds waited so far, ten times a second.

    Raises:
        GuestBootError: it was not usable in time; its console's log is kept in ``home/run``.
        MissingError: ``qemu-img`` is not installed.
        PlatformError: libvirt refuses it, or one of this name runs and holds a record.
    """
    remove_old(connection, spec)
    group = qemu_group(connection)
    make_guest_folder(spec.folder, group)
    try:
        draft = draft_guest(spec, nodes=node_cpus(), memory_nodes=ThisHost().nodes)
        lay_disk(draft, spec)
        write_spec(spec)
        lay_keys(spec)
        lend_files(spec, group)
        domain = define_domain(connection, spec.name, to_xml(draft))
        start_domain(domain)
        boot_s = wait_usable(spec, runs=lambda: runs(domain), timeout_s=timeout_s, on_wait=on_wait)
    except BaseException as error:
        remove_failed(connection, spec, error)
        raise
    return Guest(domain, spec, boot_s=boot_s)


@asking_libvirt("look for a guest")
def find_guest(connection: virConnect, name: str, *, home: Path | None = None) -> Guest | None:
    """Find a guest of ours that an earlier process made.

    Args:
        connection: libvirt's system daemon.
        name: Name of its domain.
        home: Only one that belongs to this folder of assay's state; ``None`` takes any of ours.

    Returns:
        The guest; ``None`` where there is none that runs.
    """
    domain = find_domain(connection, name)
    mark = None if domain is None else read_mark(domain)
    if domain is None or mark is None or not runs(domain) or home not in (None, mark.home):
        return None
    spec = read_spec(mark.home / "guests" / name)
    return None if spec is None else Guest(domain, spec, boot_s=None, saved=read_origin(spec.folder))


def pick_port() -> int:
    """Return a TCP port that is free on 127.0.0.1 at this moment."""
    return pick_ports(1)[0]


def pick_ports(count: int) -> tuple[int, ...]:
    """Return so many different TCP ports that are free on 127.0.0.1 at this moment."""
    with contextlib.ExitStack() as doors:
        opened = [doors.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return tuple(int(door.getsockname()[1]) for door in opened)


def remove_old(connection: virConnect, spec: GuestSpec) -> None:
    """Remove what a crash left under a guest's name.

    Raises:
        PlatformError: a domain of this name is not ours, or runs and holds a record.
    """
    domain = find_domain(connection, spec.name)
    if domain is not None:
        mark = read_mark(domain)
        if mark is None or (mark.pending and runs(domain)):
            holds = "the one that runs holds a record" if mark else "a domain of this name is not ours"
            msg = f"cannot start guest {spec.name}: {holds}"
            raise PlatformError(
                msg, hint=f"assay activity resume {spec.activity}" if mark else "virsh list --all"
            )
        remove_domain(domain)
    remove_folder(spec.folder)


def remove_failed(connection: virConnect, spec: GuestSpec, error: BaseException) -> None:
    """Remove a guest that could not be made; the console's log of one that did not boot is kept."""
    domain = find_domain(connection, spec.name)  # by name: a signal may have come right after its definition
    if domain is not None:
        remove_domain(domain)
    if isinstance(error, GuestBootError):
        keep_console(spec, error)
    remove_folder(spec.folder)


def keep_console(spec: GuestSpec, error: GuestBootError) -> None:
    """Move the console's log of a guest that did not boot to where its error says that it is."""
    if spec.console.exists():
        make_way(error.log.parent)
        shutil.move(spec.console, error.log)
        error.log.chmod(0o600)
