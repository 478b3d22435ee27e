"""A guest on another machine: started, found again after a crash, read back, and removed."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.factors.cpu.pin_sets import cpus_of_others
from assay.model.errors import AssayError
from assay.model.files.json_text import parse_json
from assay.model.files.marker import is_marked, make_marked
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, Platform
from assay.platforms.durable import write_json
from assay.platforms.errors import GuestBootError, PlatformError, asking_libvirt
from assay.platforms.guests.boot import Signs, wait_usable
from assay.platforms.guests.disk import make_disk
from assay.platforms.guests.domain import draft_guest, to_xml
from assay.platforms.guests.domains import (
    define_domain,
    find_domain,
    read_mark,
    remove_domain,
    runs,
    start_domain,
)
from assay.platforms.guests.guest import Guest
from assay.platforms.guests.keys import NAMES, has_keys, key_archive, keys_folder, login_of, make_keys
from assay.platforms.guests.readback import platform_of
from assay.platforms.guests.seed import write_seed
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.guests.specfile import SPEC, spec_facts, spec_of
from assay.platforms.images.content import image_by_digest
from assay.platforms.images.stored import Login
from assay.platforms.readback.cpu import confined_to, hypervisor_cpu, parse_status, threads_cpus
from assay.platforms.readback.weight import weigh_at
from assay.platforms.readers import (
    FOLDER,
    READ,
    WRITTEN,
    make_way,
    write_private,
)
from assay.platforms.remote.files import STEP_S, copy_process, read_text, read_texts, understood
from assay.platforms.remote.host_view import RemoteHostView
from assay.platforms.remote.hypervisor import Hypervisor, lend_there
from assay.platforms.remote.room import require_room_there

if TYPE_CHECKING:
    from libvirt import virDomain

_TAIL = "65536"
_KEYS = "keys.cpio"
_JOIN = 'umask 077; cat -- "$1" "$2" >"$3" && rm -- "$2"'


class RemoteGuest(Guest):
    """A guest that was made on another machine; as ``Guest``, whose paths, processes and ports are that
    machine's.

    Args:
        domain: Its domain.
        spec: What it was made from; its image lies there, but for the private key.
        on: The machine.
        boot_s: Seconds from its start until it was usable; ``None`` for one found again.
    """

    def __init__(self, domain: virDomain, spec: GuestSpec, *, on: Hypervisor, boot_s: float | None) -> None:
        super().__init__(domain, spec, boot_s=boot_s)
        self._on, self._pid = on, 0

    @cached_property
    def login(self) -> Login:
        """Return how it lets us in; its keys are fetched from there where an earlier process brought them."""
        return login_of(self.spec.image, self._on.folder_here(self.name))

    @property
    def pid(self) -> int:
        """Return the pid of its QEMU process over there; it is the same as long as it runs."""
        if not self._pid:
            thread = min(self._vcpu_threads())
            status = read_text(self._on.door, f"/proc/{thread}/status")
            if status is None:
                msg = f"cannot read the guest's process on {self._on.name}: thread {thread} is gone"
                raise PlatformError(msg, hint=f"assay platform clean --on {self._on.name}")
            with understood(self._on.door, "the status of a process"):
                self._pid = int(parse_status(status)["Tgid"])
        return self._pid

    @asking_libvirt("read a guest back")
    def platform(self) -> Platform:
        """Return what it really is, as ``Guest.platform`` does."""
        allowed = (*self.spec.cpus, *cpus_of_others(dict(self.spec.settings)))
        with self._seen() as seen:
            cpus = confined_to(threads_cpus(self.pid, proc=seen.proc), allowed)
            platform = platform_of(self._domain, self.spec, cpus=cpus)
            return replace(platform, factors=self._factors(seen))

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
    def _seen(self) -> Iterator[RemoteHostView]:
        with tempfile.TemporaryDirectory() as folder:
            proc = copy_process(self._on.door, self.pid, Path(folder), whole=True)
            yield RemoteHostView(
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
    """Make a guest on another machine and wait until it is usable; whatever goes wrong, nothing of it is
    left.

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
    on.make_folder(spec.folder)
    try:
        draft = draft_guest(
            spec, nodes=on.host.node_cpus, memory_nodes=on.host.nodes, emulator=on.host.emulator
        )
        require_room_there(on.door, draft, spec)
        make_disk(draft, spec.disk, image=spec.image.disk, by=on.maker)
        _put_files(on, spec)
        _lend(on, spec)
        domain = define_domain(on.connection, spec.name, to_xml(draft))
        start_domain(domain)
        boot_s = wait_usable(
            spec,
            runs=lambda: runs(domain),
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
    if domain is None or mark is None or not runs(domain) or mark.home != on.home:
        return None
    folder = on.home / "guests" / name
    text = read_text(on.door, str(folder / SPEC))
    if text is None:
        return None
    try:
        facts = parse_json(text)
        there = Path(facts["image"])
        here = image_by_digest(on.here, there.name)
        spec = spec_of(facts, replace(here, folder=there, disk=there / here.disk.name), folder)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"cannot take up guest {name} on {on.name}: {folder / SPEC} there is damaged"
        raise PlatformError(msg, hint=f"end it there: virsh destroy {name}") from error
    _fetch_keys(on, folder)
    return RemoteGuest(domain, spec, on=on, boot_s=None)


def _put_files(on: Hypervisor, spec: GuestSpec) -> None:
    """Bring what lies beside a guest's disk: its spec, its keys, and its seed or the end of its initrd.

    Its keys stay in a folder here, too, by which we log in; another process finds them there.
    """
    here = replace(spec, folder=on.folder_here(spec.name))
    make_way(here.folder.parent)
    make_marked(here.folder)
    write_json(here.folder / SPEC, spec_facts(spec))
    on.door.put(here.folder / SPEC, str(spec.folder / SPEC))
    if spec.image.keyed:
        make_keys(here.folder)
        on.door.put(keys_folder(here.folder), str(keys_folder(spec.folder)))
        _bring_keys(on, spec, here)


def _bring_keys(on: Hypervisor, spec: GuestSpec, here: GuestSpec) -> None:
    """Make there what brings a guest its keys."""
    if spec.image.cloud_init:
        write_seed(here)
        on.door.put(here.seed, str(spec.seed))
    if spec.brings_keys:
        write_private(here.folder / _KEYS, key_archive(here.folder))
        on.door.put(here.folder / _KEYS, str(spec.folder / _KEYS))
        words = (spec.image.initrd, spec.folder / _KEYS, spec.initrd)
        on.door.run(["sh", "-c", _JOIN, "sh", *map(str, words)], timeout_s=STEP_S)
        (here.folder / _KEYS).unlink()


def _lend(on: Hypervisor, spec: GuestSpec) -> None:
    """Let QEMU's group there use the guest's files and its image's, and nobody else, as ``lend_files`` does
    here.
    """
    image = spec.image
    read = (image.disk, image.kernel, image.initrd, spec.initrd, spec.seed)
    lend_there(on, FOLDER, image.folder, spec.folder)
    lend_there(on, READ, *(path for path in read if path is not None))
    lend_there(on, WRITTEN, *spec.image_files[1:])


def _fetch_keys(on: Hypervisor, folder: Path) -> None:
    """Lay the keys of a guest there into its folder here, where they are not."""
    here = on.folder_here(folder.name)
    if has_keys(here):
        return
    files = {str(keys_folder(folder) / name): keys_folder(here) / name for name in NAMES}
    texts = read_texts(on.door, *files)
    make_way(here.parent)
    if not is_marked(here):
        make_marked(here)
    keys_folder(here).mkdir(mode=0o700, exist_ok=True)
    for there, file in files.items():
        if there in texts:  # a guest that an earlier assay made has none
            write_private(file, texts[there].encode())


def _signs(on: Hypervisor, spec: GuestSpec) -> Signs:
    log = on.here / "run" / f"{spec.name}.console.log"
    return Signs(
        lambda: _console(on, spec), lambda patience_s: on.door.greets(spec.port, patience_s), log=log
    )


def _console(on: Hypervisor, spec: GuestSpec) -> str:
    script = 'tail -c "$1" -- "$2" 2>/dev/null; true'
    tail = on.door.run(["sh", "-c", script, "sh", _TAIL, str(spec.console)], timeout_s=30.0)
    return tail.decode(errors="replace")


def _remove_old(on: Hypervisor, spec: GuestSpec) -> None:
    domain = find_domain(on.connection, spec.name)
    if domain is not None:
        mark = read_mark(domain)
        if mark is None or mark.home != on.home or (mark.pending and runs(domain)):
            msg = (
                f"cannot start guest {spec.name} on {on.name}: one of this name is there, and not to "
                "be removed"
            )
            raise PlatformError(msg, hint="there: virsh list --all")
        remove_domain(domain)
    on.remove_folder(spec.folder)


def _remove_failed(on: Hypervisor, spec: GuestSpec, error: BaseException) -> None:
    if isinstance(error, GuestBootError):
        with contextlib.suppress(AssayError):
            make_way(error.log.parent)
            write_private(error.log, _console(on, spec).encode())
    domain = find_domain(
        on.connection, spec.name
    )  # by name: a signal may have come right after its definition
    if domain is not None:
        remove_domain(domain)
    on.remove_folder(spec.folder)
