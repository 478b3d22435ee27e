"""A guest on another machine: started, found again after a crash, read back, and removed."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.factors.pins import cpus_of_others
from assay.model.errors import AssayError
from assay.model.platform import GuestWeight, HypervisorCpu, Platform
from assay.platforms.boot import Signs, wait_usable
from assay.platforms.content import image_by_digest
from assay.platforms.cpu import confined_to, hypervisor_cpu, parse_status, threads_cpus
from assay.platforms.disk import make_disk
from assay.platforms.domain import draft_guest, to_xml
from assay.platforms.domains import define_domain, find_domain, read_mark, remove_domain, start_domain
from assay.platforms.errors import GuestBootError, PlatformError, asking_libvirt
from assay.platforms.guest import Guest
from assay.platforms.readback import platform_of
from assay.platforms.remote.files import copy_process, read_text
from assay.platforms.remote.hypervisor import Hypervisor
from assay.platforms.remote.outside import RemoteOutside
from assay.platforms.remote.room import require_room_there
from assay.platforms.seed import write_seed
from assay.platforms.spec import GuestSpec
from assay.platforms.specfile import spec_facts, spec_of
from assay.platforms.weight import weigh_at

if TYPE_CHECKING:
    from libvirt import virDomain

_TAIL = "65536"


class RemoteGuest(Guest):
    """A guest that was made on another machine; as ``Guest``, whose paths, processes and ports are that machine's.

    Args:
        domain: Its domain.
        spec: What it was made from; its image lies there, but for the private key.
        on: The machine.
        boot_s: Seconds from its start until it was usable; ``None`` for one found again.
    """

    def __init__(self, domain: virDomain, spec: GuestSpec, *, on: Hypervisor, boot_s: float | None) -> None:
        super().__init__(domain, spec, boot_s=boot_s)
        self._on, self._pid = on, 0

    @property
    def pid(self) -> int:
        """Return the pid of its QEMU process over there; it is the same as long as it runs."""
        if not self._pid:
            thread = min(self._vcpu_threads())
            status = read_text(self._on.door, f"/proc/{thread}/status")
            if status is None:
                msg = f"cannot read the guest's process on {self._on.name}: thread {thread} is gone"
                raise PlatformError(msg, hint=f"assay platform clean --on {self._on.name}")
            self._pid = int(parse_status(status)["Tgid"])
        return self._pid

    @asking_libvirt("read a guest back")
    def platform(self) -> Platform:
        """Return what it really is, as ``Guest.platform`` does."""
        allowed = (*self.spec.cpus, *cpus_of_others(dict(self.spec.settings)))
        with self._seen() as seen:
            cpus = confined_to(threads_cpus(self.pid, proc=seen.proc), allowed)
            found = platform_of(self._domain, self.spec, cpus=cpus)
            return replace(found, factors=self._factors(seen))

    @asking_libvirt("weigh a guest")
    def weight(self) -> GuestWeight | None:
        """Return what it holds of its host now, as ``Guest.weight`` does."""
        up = read_text(self._on.door, "/proc/uptime")  # of the host's boot, as CLOCK_BOOTTIME is
        with self._seen() as seen:
            return weigh_at(
                seen,
                memory_bytes=self.spec.memory_bytes,
                disk_bytes=int(seen.disk["allocated"]),
                up_s=float((up or "0").split()[0]),
            )

    @asking_libvirt("read the CPU of a guest")
    def hypervisor_cpu(self) -> HypervisorCpu:
        """Return the CPU seconds of it since its start; KVM's counts are not told from another machine."""
        with tempfile.TemporaryDirectory() as folder:
            proc = copy_process(self._on.door, self.pid, Path(folder), whole=False)
            return hypervisor_cpu(self.pid, self._vcpu_threads(), proc=proc)

    @asking_libvirt("remove a guest")
    def destroy(self) -> None:
        """Stop it at once and remove its domain, disk and console; one that is gone is no error."""
        remove_domain(self._domain)
        self._on.remove_folder(self.spec.folder)

    @contextlib.contextmanager
    def _seen(self) -> Iterator[RemoteOutside]:
        with tempfile.TemporaryDirectory() as folder:
            proc = copy_process(self._on.door, self.pid, Path(folder), whole=True)
            yield RemoteOutside(
                self._domain,
                host=self._on.host,
                disk=self.spec.disk,
                proc=proc,
                pid=self.pid,
                door=self._on.door,
            )


@asking_libvirt("boot a guest")
def start_remote_guest(
    on: Hypervisor,
    spec: GuestSpec,
    *,
    timeout_s: float = 120.0,
    on_wait: Callable[[float], None] | None = None,
) -> RemoteGuest:
    """Make a guest on another machine and wait until it is usable; whatever goes wrong, nothing of it is left.

    Args:
        on: The machine.
        spec: What it shall be, with paths, processors and a port of that machine.
        timeout_s: Seconds until it must be usable.
        on_wait: Called with the seconds waited so far.

    Raises:
        GuestBootError: it was not usable in time; its console's log is kept here.
        PlatformError: libvirt refuses it, or one of this name runs and holds a record.
        MissingError: there is too little room for its disk.
    """
    _remove_old(on, spec)
    on.door.run(["mkdir", "-m", "755", "--", str(spec.folder)], timeout_s=30.0)
    try:
        draft = draft_guest(spec, nodes=on.host.node_cpus)
        require_room_there(on.door, draft, spec)
        make_disk(draft, spec.disk, image=spec.image.disk, by=on.maker)
        _put_spec(on, spec)
        domain = define_domain(on.connection, spec.name, to_xml(draft))
        start_domain(domain)
        boot_s = wait_usable(
            spec,
            runs=lambda: bool(domain.isActive()),
            timeout_s=timeout_s,
            on_wait=on_wait,
            signs=_signs(on, spec),
        )
    except BaseException as error:
        _remove_failed(on, spec, error)
        raise
    return RemoteGuest(domain, spec, on=on, boot_s=boot_s)


@asking_libvirt("look for a guest")
def find_remote_guest(on: Hypervisor, name: str) -> RemoteGuest | None:
    """Find a guest of ours there that an earlier process made; ``None`` where there is none that runs."""
    domain = find_domain(on.connection, name)
    mark = None if domain is None else read_mark(domain)
    if domain is None or mark is None or not domain.isActive() or mark.home != on.home:
        return None
    folder = on.home / "guests" / name
    text = read_text(on.door, str(folder / "spec.json"))
    if text is None:
        return None
    facts = json.loads(text)
    there = Path(facts["image"])
    here = image_by_digest(on.here, there.name)
    image = replace(here, folder=there, disk=there / here.disk.name)
    return RemoteGuest(domain, spec_of(facts, image, folder), on=on, boot_s=None)


def _put_spec(on: Hypervisor, spec: GuestSpec) -> None:
    """Bring what lies beside a guest's disk: its spec, and the seed of one that sets itself up."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spec.json"
        file.write_text(json.dumps(spec_facts(spec), default=str))
        on.door.put(file, str(spec.folder / "spec.json"))
        if spec.image.cloud_init:
            here = replace(spec, folder=Path(folder), image=image_by_digest(on.here, spec.image.digest))
            write_seed(here)
            on.door.put(here.seed, str(spec.seed))


def _signs(on: Hypervisor, spec: GuestSpec) -> Signs:
    log = on.here / "run" / f"{spec.name}.console.log"
    return Signs(
        lambda: _console(on, spec), lambda patience_s: on.door.greets(spec.port, patience_s), log=log
    )


def _console(on: Hypervisor, spec: GuestSpec) -> str:
    script = 'tail -c "$1" -- "$2" 2>/dev/null; true'
    said = on.door.run(["sh", "-c", script, "sh", _TAIL, str(spec.console)], timeout_s=30.0)
    return said.decode(errors="replace")


def _remove_old(on: Hypervisor, spec: GuestSpec) -> None:
    domain = find_domain(on.connection, spec.name)
    if domain is not None:
        mark = read_mark(domain)
        if mark is None or mark.home != on.home or (mark.pending and domain.isActive()):
            msg = f"cannot start guest {spec.name} on {on.name}: one of this name is there, and not to be removed"
            raise PlatformError(msg, hint="there: virsh list --all")
        remove_domain(domain)
    on.remove_folder(spec.folder)


def _remove_failed(on: Hypervisor, spec: GuestSpec, error: BaseException) -> None:
    if isinstance(error, GuestBootError):
        with contextlib.suppress(AssayError):
            error.log.parent.mkdir(parents=True, exist_ok=True)
            error.log.write_text(_console(on, spec))
    domain = find_domain(
        on.connection, spec.name
    )  # by name: a signal may have come right after its definition
    if domain is not None:
        remove_domain(domain)
    on.remove_folder(spec.folder)
