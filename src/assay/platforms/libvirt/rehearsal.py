"""Does a setting take on this hypervisor? A small paused guest without an image tells in seconds."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.base.places import dealt
from assay.factors.catalogue import LevelCheck, apply_to, verify
from assay.factors.cpu.topology import vcpus_asked
from assay.model.files.marker import make_marked
from assay.platforms.bench_network.measured import lead_to, mtu_of, needs_links
from assay.platforms.bench_network.network import rehearsal_links
from assay.platforms.claims import claim, release
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import PlatformError, asking_libvirt
from assay.platforms.filesystems.host_filesystem import disk_folder, remove_folder
from assay.platforms.filesystems.placed import put_at
from assay.platforms.guests.domain import bare_draft, to_xml
from assay.platforms.guests.domains import find_domain, remove_domain
from assay.platforms.guests.guest_disk import lay_empty_disk
from assay.platforms.guests.mark import Mark
from assay.platforms.guests.spec import GUEST_FILESYSTEM, HOST_FILESYSTEM, PLACE
from assay.platforms.readback.cpu import node_cpus
from assay.platforms.readback.host_view import HostView
from assay.platforms.readers import FOLDER, PASSED, WRITTEN, give, make_way, qemu_group

if TYPE_CHECKING:
    from libvirt import virConnect

_KERNEL_BYTES = 8192
"""What QEMU 7.2 reads of a kernel's header (``x86_load_linux``); of zeros it is one that needs no more."""


class LevelsRefusedError(PlatformError):
    """libvirt or QEMU refuses a guest with these levels; ``reason`` is their word."""

    def __init__(self, settings: Settings, reason: str) -> None:
        spelt = ", ".join(f"{name}={level}" for name, level in settings.items())
        super().__init__(f"cannot start a guest with {spelt}: {reason}", hint="assay factors list")
        self.reason = reason


@asking_libvirt("try settings")
def try_settings(settings: Settings, *, home: Path, host: Host, subreaper: Path) -> tuple[LevelCheck, ...]:
    """Start a paused guest with these levels, look at each from outside, and remove the guest.

    Args:
        settings: Levels of guests' factors that nothing speaks against (``catalogue.refused``).
        home: Folder of assay's state.
        host: This machine.
        subreaper: The native probe, for a daemon that has to be started.

    Raises:
        ClaimedError: an activity is running on this machine.
        LevelsRefusedError: libvirt or QEMU refuses the guest.
        MissingError: libvirt is not there or refuses this user.
    """
    activity = secrets.token_hex(4)
    with _folder(home, activity) as folder, libvirt_connection(home, subreaper=subreaper) as connection:
        level, place = settings.get(HOST_FILESYSTEM), settings.get(PLACE)
        disk = disk_folder(folder, level or place) / "disk.img"
        draft = bare_draft(
            folder.name,
            mark=Mark(activity, home),
            accelerator=host.accelerator,
            vcpus=vcpus_asked(settings) or 1,
            cpus=host.cpus,
            disk=disk,
        )
        draft.nodes, draft.memory_nodes = node_cpus(), host.nodes
        apply_to(draft, settings)
        _give_words(draft, folder / "kernel")
        draft.at("devices/disk/driver", type=draft.disk_format)
        root, group = settings.get(GUEST_FILESYSTEM), qemu_group(connection)
        give(folder, FOLDER, group, shown=PASSED)
        if place is not None:
            put_at(folder, dealt(place, 0), disk.parent)
        lay_empty_disk(draft, disk, folder, host_filesystem=level, guest_filesystem=root)
        give(disk, WRITTEN, group)
        with _links(draft, activity, mtu=mtu_of(settings)):
            return _look(connection, draft, settings, host=host, disk=disk)


def _look(
    connection: virConnect, draft: Draft, settings: Settings, *, host: Host, disk: Path
) -> tuple[LevelCheck, ...]:
    import libvirt

    name = str(draft.at("name").text)
    try:
        try:
            domain = connection.defineXML(to_xml(draft))
            domain.createWithFlags(libvirt.VIR_DOMAIN_START_PAUSED)
        except libvirt.libvirtError as error:
            raise LevelsRefusedError(settings, str(error)) from error
        return verify(settings, HostView(domain, host=host, disk=disk))
    finally:
        left = find_domain(connection, name)
        if left is not None:
            remove_domain(left)


def _give_words(draft: Draft, kernel: Path) -> None:
    """Give the words for a guest's kernel to a file that stands for one: it is loaded and never run."""
    if draft.kernel_words:
        kernel.write_bytes(bytes(_KERNEL_BYTES))
        draft.at("os/kernel").text = str(kernel)
        draft.at("os/cmdline").text = " ".join(draft.kernel_words)


@contextmanager
def _links(draft: Draft, activity: str, *, mtu: int) -> Iterator[None]:
    """Make the links that the guest's card leads to, where it leads to any."""
    if not needs_links(draft.domain):
        yield
        return
    with rehearsal_links(name=activity, mtu=mtu) as network:
        lead_to(draft.domain, network.tap)
        yield


@contextmanager
def _folder_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"cannot make a folder for the guest: {folder}: {error.strerror}"
        raise PlatformError(msg, hint="ASSAY_HOME=FOLDER names one that this user may write") from error


@contextmanager
def _folder(home: Path, activity: str) -> Iterator[Path]:
    folder = home / "guests" / f"assay-{activity}-try"
    with _folder_errors(folder):
        claim(home, activity)
    try:
        with _folder_errors(folder):
            make_way(folder.parent)
            make_marked(folder)
        try:
            yield folder
        finally:
            remove_folder(folder)
    finally:
        release(home, activity)
